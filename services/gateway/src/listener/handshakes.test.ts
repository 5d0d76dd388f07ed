import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Handshakes } from './handshakes.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  destroyed = false;
  timeoutMs = 0;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  setTimeout(ms: number): void {
    this.timeoutMs = ms;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function setUp() {
  const server = new EventEmitter();
  const begun: string[] = [];
  server.on('connection', ({ remoteAddress }) => begun.push(remoteAddress));
  new Handshakes(server, 10_000);
  const connect = (address: string) => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  };
  return { begun, connect };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('one handshake begins in each turn of the loop', async () => {
  const { begun, connect } = setUp();
  const sockets = ['a', 'a', 'a'].map(connect);
  for (const socket of sockets) socket.emit('readable');
  for (const count of [1, 2, 3]) {
    assert.equal(begun.length, count);
    await turn();
  }
});

test('an address with many connections does not delay one with few', async () => {
  const { begun, connect } = setUp();
  for (const socket of ['many', 'many', 'many', 'many', 'few'].map(connect)) socket.emit('readable');
  while (begun.length < 5) await turn();
  assert.deepEqual(begun, ['many', 'many', 'few', 'many', 'many']);
});

test('a silent connection gets no handshake, and times out', async () => {
  const { begun, connect } = setUp();
  const silent = connect('a');
  await turn();
  assert.deepEqual(begun, []);
  assert.equal(silent.timeoutMs, 10_000);
  silent.emit('readable');
  assert.equal(silent.timeoutMs, 0, 'from here on TLS has its own timeout');
});

test('a connection that closes while it waits gets no handshake', async () => {
  const { begun, connect } = setUp();
  const sockets = ['a', 'b', 'c'].map(connect);
  for (const socket of sockets) socket.emit('readable');
  sockets[1]?.emit('error', new Error('reset by peer'));
  for (let i = 0; i < 5; i++) await turn();
  assert.deepEqual(begun, ['a', 'c']);
});
