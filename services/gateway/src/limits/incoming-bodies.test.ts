import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { hasBody, IncomingBodies, MAX_BODY_BYTES } from './incoming-bodies.ts';

const MIB = 1 << 20;

function bodies(limits: { all?: number; user?: number; address?: number } = {}): IncomingBodies {
  const { all = 0, user = 0, address = 0 } = limits;
  return new IncomingBodies({
    maxIncomingBodiesMib: all,
    maxIncomingBodiesMibPerUser: user,
    maxIncomingBodiesMibPerAddress: address,
  });
}

function incoming(headers: Record<string, string> = {}, remoteAddress = '192.0.2.1'): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers, socket: { remoteAddress } }) as never;
}

/** Lets pending stream events run. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('A body is returned as one buffer, and is no longer counted when it is complete.', async () => {
  const all = bodies();
  const raw = incoming();
  const read = all.read(raw, 'ann');
  raw.write('one ');
  raw.write('two');
  await turn();
  assert.equal(all.bytes, 7);
  raw.end();
  assert.equal((await read).toString(), 'one two');
  assert.equal(all.bytes, 0);
});

test('A body that arrived with the headers is returned without a copy.', async () => {
  for (const text of ['all of it', '']) {
    const raw = Object.assign(incoming(), { complete: true });
    raw.end(text);
    await turn();
    assert.equal((await bodies().read(raw, 'ann')).toString(), text);
  }
});

test('A body that is too large is rejected by its Content-Length, or while it is read.', async () => {
  const all = bodies();
  const error = { code: 413, message: 'Request entity too large: limit is 3145728' };
  await assert.rejects(all.read(incoming({ 'content-length': String(MAX_BODY_BYTES + 1) }), 'ann'), error);
  const raw = incoming();
  const read = all.read(raw, 'ann');
  raw.write(Buffer.alloc(MAX_BODY_BYTES));
  await turn();
  raw.write('x');
  await assert.rejects(read, error);
  assert.equal(all.bytes, 0);
  const exact = incoming({ 'content-length': String(MAX_BODY_BYTES) });
  exact.end(Buffer.alloc(MAX_BODY_BYTES));
  assert.equal((await all.read(exact, 'ann')).length, MAX_BODY_BYTES);
});

for (const [limit, refused, others] of [
  ['user', ['ann', '192.0.2.2'], ['bob', '192.0.2.1']],
  ['address', ['bob', '192.0.2.1'], ['ann', '192.0.2.2']],
] as const) {
  test(`A client above the limit of one ${limit} gets 429, and others do not.`, async () => {
    const all = bodies({ [limit]: 2 });
    const held = [incoming(), incoming()];
    const reading = held.map((raw) => all.read(raw, 'ann'));
    for (const raw of held) raw.write(Buffer.alloc(MIB));
    await turn();
    const [user, address] = refused;
    const surplus = incoming({}, address);
    surplus.write('x');
    await assert.rejects(all.read(surplus, user), { code: 429, message: /^too many bytes of request bodies .* 2 MiB/ });
    const [other, elsewhere] = others;
    const fine = incoming({}, elsewhere);
    fine.end('x');
    assert.equal((await all.read(fine, other)).toString(), 'x');
    for (const raw of held) raw.end();
    await Promise.all(reading);
    const again = incoming({}, address);
    again.end('x');
    assert.equal((await all.read(again, user)).toString(), 'x');
  });
}

test('The incomplete bodies of all users together are bounded as well.', async () => {
  const all = bodies({ all: 1 });
  const raw = incoming();
  const first = all.read(raw, 'ann');
  raw.write(Buffer.alloc(MIB));
  await turn();
  const surplus = incoming({}, '192.0.2.2');
  surplus.write('x');
  await assert.rejects(all.read(surplus, 'bob'), { code: 429, message: /of all users/ });
  raw.end();
  await first;
});

test('The bytes of a disconnected client are released, also if it left before its body was read.', async () => {
  const all = bodies();
  const raw = incoming();
  const read = all.read(raw, 'ann');
  raw.write('half');
  await turn();
  raw.destroy();
  await assert.rejects(read, { code: 400 });
  assert.equal(all.bytes, 0);
  await assert.rejects(all.read(raw, 'ann'), { code: 400 });
});

test('A request has a body by its headers in HTTP/1.1, and by its frames in HTTP/2.', () => {
  assert.equal(hasBody(incoming()), false);
  assert.equal(hasBody(incoming({ 'content-length': '0' })), false);
  assert.equal(hasBody(incoming({ 'content-length': '1' })), true);
  assert.equal(hasBody(incoming({ 'transfer-encoding': 'chunked' })), true);
  const frames = (endAfterHeaders: boolean) => Object.assign(incoming(), { stream: { endAfterHeaders } });
  assert.equal(hasBody(frames(true)), false);
  assert.equal(hasBody(frames(false)), true);
});
