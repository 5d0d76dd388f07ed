import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MAPS } from '../support/client.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';
import { AttackTarget } from './attack-target.ts';
import { Bystander } from './bystander/bystander.ts';
import { heldTurns } from './bystander/suite.ts';
import { floodWithResets } from './reset-flood.ts';

const ATTACK = { path: MAPS, token: 'mallory-token', connections: 4, durationMs: 6000 };
const LIST_MAPS = { verbs: ['list'], apiGroups: [''], resources: ['configmaps'] };
/** The permitted resets come first. Later connections get a few answers before the gateway closes them. */
const MAX_SERVED = { first: 2000, forEachConnection: 25 };

// the attack puts this address into debt, so no other test may use this system
describe('A flood of cancelled requests from a user who always connects again', () => {
  let system: RunningSystem;
  let target: AttackTarget;
  before(async () => {
    system = await runningSystem();
    target = await AttackTarget.over(system);
    await target.make(MAPS, { metadata: { name: 'kept' } });
    await target.allow([LIST_MAPS], 'everywhere');
  });
  after(() => target?.close());

  test('Nearly all its requests are dropped. Others on open connections are served, and their watches continue.', async (t) => {
    const { server, caFile, token } = system.tidegate;
    const controlUrl = `http://${system.tidegate.part('health').opsAddress}/livez`;
    const pid = system.tidegate.pid('gateway');
    const bystander = await Bystander.start({ server, caFile, token, path: `${MAPS}/kept`, controlUrl });
    try {
      await bystander.observation();
      const servedBefore = await servedLists();
      const sent = await floodWithResets({ ...ATTACK, server, caFile });
      const { failures, finishedReads, slowestMs } = await bystander.observation();
      const served = (await servedLists()) - servedBefore;
      const slowest = Math.round(slowestMs);
      t.diagnostic(`${JSON.stringify(sent)}, ${served} served; ${finishedReads} other reads, slowest ${slowest} ms`);
      assert.deepEqual(failures, []);
      assert.equal(system.tidegate.pid('gateway'), pid);
      assert.ok(sent.connections > ATTACK.connections, 'the gateway closes the connections of the attacker');
      const most = MAX_SERVED.first + MAX_SERVED.forEachConnection * sent.connections;
      assert.ok(served < most, `${served} of ${sent.requests} requests were served`);
      const held = heldTurns(system);
      assert.deepEqual(held, [], 'no turn of the event loop used more than 250 ms of processor time');
    } finally {
      await bystander.stop();
    }
  });

  async function servedLists(): Promise<number> {
    const { text } = await target.client.get('/metrics');
    const counts = text
      .split('\n')
      .filter((line) => /^apiserver_request_total\{verb="LIST",.*resource="configmaps"/.test(line))
      .map((line) => Number(line.slice(line.lastIndexOf(' '))));
    return counts.reduce((sum, count) => sum + count, 0);
  }
});
