import assert from 'node:assert/strict';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { watchSink } from './watch-sink.ts';

/** The body that a client receives when a server writes its response with `write`. */
async function bodyOf(write: (response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer(async (_, response) => {
    response.flushHeaders();
    await write(response);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await new Promise((resolve, reject) => {
      get({ port: (server.address() as AddressInfo).port }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
        response.on('end', () => resolve(Buffer.concat(parts).toString()));
      }).on('error', reject);
    });
  } finally {
    server.close();
  }
}

test('Events never overtake what was written to the response before, in whichever event-loop turn they come.', async () => {
  for (let turns = 0; turns < 6; turns++) {
    const body = await bodyOf(async (response) => {
      response.write('first ');
      response.write('second ');
      for (let turn = 0; turn < turns; turn++) await (turn < 4 ? null : new Promise(setImmediate));
      const sink = watchSink(response);
      sink.write(Buffer.from('third '));
      await new Promise(setImmediate);
      sink.write(Buffer.from('fourth'));
    });
    assert.equal(body, 'first second third fourth', `after ${turns} turns`);
  }
});

test('A full sink reports backpressure and then drain, also behind bytes that the response still holds.', async () => {
  const slice = Buffer.alloc(256 << 10, 'x');
  const body = await bodyOf(async (response) => {
    response.write('first');
    const sink = watchSink(response);
    let drained = () => {};
    sink.onDrain(() => drained());
    for (let i = 0; i < 40; i++) {
      const whenDrained = new Promise<void>((resolve) => {
        drained = resolve;
      });
      if (!sink.write(slice)) await whenDrained;
    }
  });
  assert.equal(body.length, 5 + 40 * slice.length);
});
