import { after, before, describe, test } from 'node:test';
import { whyNoNats } from '@tidegate/testkit';
import { type RunningSystem, runningSystem } from './running-system.ts';
import { underLoad } from './under-load.ts';

const noNats = await whyNoNats();

/** Kills parts without warning under load, and checks what clients were promised. */
export function killSuite(title: string, parts: readonly string[]): void {
  describe(title, () => {
    let system: RunningSystem;
    before(async () => {
      system = await runningSystem();
    });
    after(() => system.stop());

    test('no acknowledged write is lost, and watchers miss nothing, see nothing twice and need no new list', async () => {
      const { client, tidegate } = system;
      await underLoad(client, async (progress) => {
        // without NATS the rest is no less worth killing
        for (const part of parts.filter((name) => name !== 'nats' || noNats === undefined)) {
          const pid = tidegate.pid(part);
          process.kill(pid, 'SIGKILL');
          await tidegate.restarted(part, pid);
          await progress();
        }
      });
    });
  });
}
