import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('The board of a running system', () => {
  let system: RunningSystem;
  let board: URL;
  before(async () => {
    system = await sharedSystem();
    board = new URL(/board +(http:\S+)/.exec(system.tidegate.output)?.[1] as string);
  });
  after(() => system?.stop());

  /** What is answered to a request that names this host, as browsers name the one that stands in the address bar. */
  function ask(host: string, path: string): Promise<{ code: number | undefined; body: string }> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = board;
      const asked = request({ hostname, port, path, headers: { Host: host }, setHost: false, agent: false });
      asked.on('response', (response) => {
        text(response).then((body) => resolve({ code: response.statusCode, body }), reject);
      });
      asked.on('error', reject).end();
    });
  }

  test('is not shown to pages of another site that gives its own name this machine’s address', async () => {
    for (const path of ['/', '/report.json', '/history.json', '/board.js']) {
      const { code, body } = await ask('evil.example', path);
      assert.deepEqual([code, body.includes('--board-hosts')], [421, true], path);
      assert.equal((await ask(board.host, path)).code, 200, path);
      assert.equal((await ask(`localhost:${board.port}`, path)).code, 200, path);
    }
  });

  test('answers probes by whatever address a kubelet or a load balancer knows', async () => {
    for (const path of ['/livez', '/readyz', '/healthz']) {
      assert.notEqual((await ask('10.244.1.7:6480', path)).code, 421, path);
    }
  });
});
