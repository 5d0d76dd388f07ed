import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { configMap, MAPS } from '../support/client.ts';
import { cancelRequests } from '../support/raw-connection.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';
import { Bystander } from './bystander/bystander.ts';

const ATTACK_MS = 6000;
const CONNECTIONS = 4;
/** About 250 ms on a quiet machine with two cores. Without limits for connections and clients it is several seconds. */
const MAX_DELAY_MS = 1500;

// the attack puts this address into debt, so no other test may use this system
describe('A flood of cancelled requests from a client that always connects again', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem();
    assert.equal((await system.client.request('POST', MAPS, { body: configMap('kept') })).code, 201);
  });
  after(() => system?.stop());

  test('Other clients on open connections are served, and their watches continue.', async (t) => {
    const { server, caFile, token } = system.tidegate;
    const controlUrl = `http://${system.tidegate.part('health').opsAddress}/livez`;
    const pid = system.tidegate.pid('gateway');
    const bystander = await Bystander.start({ server, caFile, token, path: `${MAPS}/kept`, controlUrl });
    try {
      await bystander.observation();
      const sent = await attack({ server, caFile, token });
      const { failures, finishedReads, slowestMs } = await bystander.observation();
      t.diagnostic(`${JSON.stringify(sent)}; ${finishedReads} reads, slowest ${Math.round(slowestMs)} ms`);
      assert.deepEqual(failures, []);
      assert.equal(system.tidegate.pid('gateway'), pid);
      assert.ok(sent.connections > CONNECTIONS, 'the gateway closes the connections of the attacker');
      assert.ok(slowestMs < MAX_DELAY_MS, `an answer took ${slowestMs} ms`);
    } finally {
      await bystander.stop();
    }
  });
});

type Target = Readonly<Record<'server' | 'caFile' | 'token', string>>;

async function attack({ server, caFile, token }: Target): Promise<{ requests: number; connections: number }> {
  const ca = readFileSync(caFile);
  const headers = { ':path': MAPS, authorization: `Bearer ${token}` };
  const sessions = new Set<ClientHttp2Session>();
  const sent = { requests: 0, connections: 0 };
  let isOver = false;
  const open = () => {
    if (isOver) return;
    sent.connections++;
    const session = connect(server, { ca });
    sessions.add(session);
    let timer: NodeJS.Timeout | undefined;
    session.on('error', () => {});
    session.on('connect', () => {
      timer = setInterval(() => {
        sent.requests += cancelRequests(session, headers, 100);
      }, 1);
    });
    session.on('close', () => {
      clearInterval(timer);
      sessions.delete(session);
      setTimeout(open, 1);
    });
  };
  for (let i = 0; i < CONNECTIONS; i++) open();
  await delay(ATTACK_MS);
  isOver = true;
  for (const session of sessions) session.destroy();
  return sent;
}
