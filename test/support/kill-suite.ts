import { after, before, describe, test } from 'node:test';
import { whyNoNats } from '@tidegate/testkit';
import { type RunningSystem, runningSystem } from './running-system.ts';
import { underLoad } from './under-load.ts';

const noNats = await whyNoNats();

/** Kills parts with SIGKILL under load, and checks the promises to clients. */
export function killSuite(title: string, parts: readonly string[]): void {
  describe(title, () => {
    let system: RunningSystem;
    before(async () => {
      system = await runningSystem();
    });
    after(() => system.stop());

    test('No acknowledged write is lost, and watchers receive each event once and need no new list.', async () => {
      const { client, tidegate } = system;
      await underLoad(client, async (progress) => {
        // without NATS, the other parts are still killed
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
