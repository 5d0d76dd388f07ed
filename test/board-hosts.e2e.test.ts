import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('Host names of the board', () => {
  let system: RunningSystem;
  let board: URL;
  before(async () => {
    system = await sharedSystem();
    board = new URL(/board +(http:\S+)/.exec(system.tidegate.output)?.[1] as string);
  });
  after(() => system?.stop());

  /** Sends a request with this Host header, which browsers take from the address bar. */
  function send(host: string, path: string): Promise<{ code: number | undefined; body: string }> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = board;
      const call = request({ hostname, port, path, headers: { Host: host }, setHost: false, agent: false });
      call.on('response', (response) => {
        text(response).then((body) => resolve({ code: response.statusCode, body }), reject);
      });
      call.on('error', reject).end();
    });
  }

  test('Requests with a foreign Host header are rejected with 421, which prevents DNS rebinding.', async () => {
    for (const path of ['/', '/report.json', '/history.json', '/board.js']) {
      const { code, body } = await send('evil.example', path);
      assert.deepEqual([code, body.includes('--board-hosts')], [421, true], path);
      assert.equal((await send(board.host, path)).code, 200, path);
      assert.equal((await send(`localhost:${board.port}`, path)).code, 200, path);
    }
  });

  test('Probes are answered with any Host header.', async () => {
    for (const path of ['/livez', '/readyz', '/healthz']) {
      assert.notEqual((await send('10.244.1.7:6480', path)).code, 421, path);
    }
  });
});
