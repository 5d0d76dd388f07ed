import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { memoryBytes } from '@tidegate/local';
import { grpcClient } from '@tidegate/service-kit';
import { until } from '@tidegate/testkit';
import { health, store, watch } from '@tidegate/wire';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';
import { Bystander } from './bystander/bystander.ts';

const PARTS = ['store', 'watch', 'health'] as const;
type Part = (typeof PARTS)[number];
const LIMIT_MIB = 600;
const KEPT = '/api/v1/namespaces/default/configmaps/kept';
/** Nobody waits for so long for anything that a part which has gone astray sends, on a machine three times slower. */
const SLOWEST_MS = 1500;

/** Bytes that go out as a message as they are. */
const raw = (bytes: Buffer) => bytes;
/** so many times the same field of a message, with so many bytes of zeros in it */
const repeated = (field: number, count: number) => Buffer.alloc(2 * count, Buffer.of((field << 3) | 2, 0));

interface Attack {
  readonly title: string;
  readonly on: Part;
  readonly run: (client: Client, address: string) => Promise<void>;
}

/** Sends these messages as one call, and resolves when it is over, or when nothing more is said. */
async function call(client: Client, method: unknown, ...messages: Buffer[]): Promise<void> {
  const { path } = method as MethodDefinition<unknown, unknown>;
  const stream = client.makeBidiStreamRequest(path, raw, raw);
  const over = Promise.race([once(stream, 'close').catch(() => undefined), once(stream, 'error'), pause(200)]);
  stream.on('error', () => {});
  stream.resume();
  for (const message of messages) stream.write(message);
  await over.catch(() => undefined);
  stream.cancel();
}

/** Begins so many calls and takes them back at once. */
function takenBack(client: Client, method: unknown, count: number): void {
  const { path } = method as MethodDefinition<unknown, unknown>;
  for (let i = 0; i < count; i++) {
    const stream = client.makeBidiStreamRequest(path, raw, raw);
    stream.on('error', () => {});
    stream.write(Buffer.alloc(0));
    stream.cancel();
  }
}

const NONSENSE = Buffer.alloc(100_000, Buffer.of(0xff, 0x07, 0x80, 0x13));
const many = (count: number, make: (i: number) => object) => Array.from({ length: count }, (_, i) => make(i));
const encoded = (method: unknown, message: object) =>
  (method as MethodDefinition<object, unknown>).requestSerialize(message);

const ATTACKS: readonly Attack[] = [
  ...PARTS.map((on) => ({
    title: 'bytes that are no HTTP/2, on 200 connections',
    on,
    run: async (_: Client, address: string) => {
      const sockets = many(200, () => connect(address.slice('unix:'.length))) as ReturnType<typeof connect>[];
      for (const socket of sockets) {
        socket.on('error', () => {});
        socket.write(NONSENSE);
      }
      await pause(300);
      for (const socket of sockets) socket.destroy();
    },
  })),
  ...(
    [
      ['store', store.session],
      ['store', store.list],
      ['store', store.readLog],
      ['watch', watch.follow],
      ['watch', watch.list],
      ['health', health.checks],
    ] as const
  ).map(([on, method]) => ({
    title: `messages that are no Protobuf, to ${(method as MethodDefinition<unknown, unknown>).path}`,
    on,
    run: async (client: Client) => {
      for (let i = 0; i < 20; i++) await call(client, method, NONSENSE);
    },
  })),
  {
    title: '32 MiB of empty reads',
    on: 'store',
    run: (client) => call(client, store.session, repeated(2, 16 << 20)),
  },
  {
    title: '32 MiB of empty writes, compressed',
    on: 'store',
    run: async (client) => {
      // the flag that says so stands before the message: the library sets it, so that what is sent here is refused
      await call(client, store.session, gzipSync(repeated(3, 16 << 20)));
    },
  },
  {
    title: '60 MiB of one value in a write without a key',
    on: 'store',
    run: (client) =>
      call(
        client,
        store.session,
        Buffer.from(encoded(store.session, { id: 1, writes: [{ value: Buffer.alloc(60 << 20) }] })),
      ),
  },
  {
    title: 'lists of what does not exist, 1,500 at once',
    on: 'store',
    run: async (client) => {
      const request = Buffer.from(encoded(store.list, { resource: 'x'.repeat(1000) }));
      await Promise.all(many(1500, () => call(client, store.list, request)));
    },
  },
  {
    title: 'calls that are taken back, 5,000 at once',
    on: 'store',
    run: async (client) => takenBack(client, store.session, 5000),
  },
  {
    title: '100,000 collections that do not exist, followed',
    on: 'watch',
    run: async (client) => {
      for (let part = 0; part < 5; part++) {
        const open = Array.from({ length: 20_000 }, (_, i) => `r${part}-${i}`);
        await call(client, watch.follow, Buffer.from(encoded(watch.follow, { open })));
      }
    },
  },
  {
    title: 'a version of the far future, waited for by 1,000',
    on: 'watch',
    run: async (client) => {
      const request = Buffer.from(encoded(watch.follow, { open: ['configmaps'], waitFor: 2 ** 52 }));
      await Promise.all(many(1000, () => call(client, watch.follow, request)));
    },
  },
  {
    title: 'calls that are taken back, 5,000 at once',
    on: 'watch',
    run: async (client) => takenBack(client, watch.follow, 5000),
  },
  {
    title: '32 MiB of nothing',
    on: 'health',
    run: (client) => call(client, health.checks, repeated(15, 16 << 20)),
  },
];

describe('A part that has gone astray, or is somebody else’s by now, holds up nobody with', () => {
  let system: RunningSystem;
  let bystander: Bystander;
  before(async () => {
    system = await runningSystem();
    const { server, caFile, token } = system.tidegate;
    const kept = { metadata: { name: 'kept' } };
    assert.equal((await system.client.ask('POST', '/api/v1/namespaces/default/configmaps', { body: kept })).code, 201);
    const elsewhere = `http://${system.tidegate.part('gateway').opsAddress}/livez`;
    bystander = await Bystander.begin({ server, caFile, token, path: KEPT, elsewhere });
  });
  after(async () => {
    await bystander?.end();
    await system?.stop();
  });

  for (const { title, on, run } of ATTACKS) {
    test(`${title}: ${on}`, async (t) => {
      const pid = system.tidegate.pid(on);
      const address = system.tidegate.part(on).grpcAddress as string;
      const client = grpcClient(address, credentials.createInsecure());
      await bystander.saw();
      await run(client, address);
      const seen = await bystander.saw();
      client.close();
      const mib = Math.round(memoryBytes(pid) / 2 ** 20);
      t.diagnostic(`slowest answer ${Math.round(seen.slowestMs)} ms; ${mib} MiB`);
      assert.deepEqual(seen.failures, []);
      assert.ok(seen.slowestMs < SLOWEST_MS, `an answer took ${seen.slowestMs} ms`);
      assert.ok(mib < LIMIT_MIB, `the ${on} service has ${mib} MiB`);
      assert.equal(system.tidegate.pid(on), pid, 'it is the same process');
    });
  }

  test('and writes and watches go on', async () => {
    const body = { metadata: { name: 'afterwards' } };
    assert.equal((await system.client.ask('POST', '/api/v1/namespaces/default/configmaps', { body })).code, 201);
    await until('the watch to see it', async () => (await bystander.saw()).eventsSeen > 0);
  });
});
