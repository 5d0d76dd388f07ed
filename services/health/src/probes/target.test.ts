import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { health } from '@tidegate/wire';
import { answer } from '../testing/answers.ts';
import { Target } from './target.ts';

const open = credentials.createInsecure();

test('The last answer is kept, also when later probes get no answer.', async () => {
  const server = new Server();
  let reply: object | undefined = answer({ revision: 9 });
  server.addService(health, {
    checks: (_call: unknown, callback: (error: object | null, value?: object) => void) =>
      reply === undefined ? callback({ code: 14, details: 'going' }) : callback(null, reply),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const target = new Target({ address: `127.0.0.1:${port}` }, open, 5000);
  assert.deepEqual([target.state.answered, target.state.why], [false, 'not probed yet']);
  const state = await target.probe();
  assert.deepEqual([state.answered, state.answer?.revision], [true, 9]);
  reply = undefined;
  const later = await target.probe();
  assert.deepEqual([later.answered, later.answer?.revision], [false, 9]);
  assert.equal(later.why, 'going');
  target.close();
  server.forceShutdown();
});

test('A probe without an answer ends within its timeout.', async () => {
  const taken = new Set<Socket>();
  const silent = createServer((socket) => taken.add(socket.resume()));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const target = new Target({ address: `127.0.0.1:${(silent.address() as AddressInfo).port}` }, open, 100);
  const { answered, why } = await target.probe();
  assert.equal(answered, false);
  assert.equal(why, 'no answer within 100 ms');
  target.close();
  for (const socket of taken) socket.destroy();
  silent.close();
});
