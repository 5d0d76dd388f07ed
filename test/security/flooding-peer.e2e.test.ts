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
/** The longest permitted time for an answer to a bystander; generous, for slow machines. */
const SLOWEST_MS = 5000;

/** Serializes and parses messages as plain bytes. */
const raw = (bytes: Buffer) => bytes;
/** An empty field of a message, repeated `count` times. */
const repeated = (field: number, count: number) => Buffer.alloc(2 * count, Buffer.of((field << 3) | 2, 0));

interface Attack {
  readonly title: string;
  readonly on: Part;
  readonly run: (client: Client, address: string) => Promise<void>;
}

/** Sends messages in one call; resolves when the call ends, or after 200 ms. */
async function call(client: Client, method: unknown, ...messages: Buffer[]): Promise<void> {
  const { path } = method as MethodDefinition<unknown, unknown>;
  const stream = client.makeBidiStreamRequest(path, raw, raw);
  const ended = Promise.race([once(stream, 'close').catch(() => undefined), once(stream, 'error'), pause(200)]);
  stream.on('error', () => {});
  stream.resume();
  for (const message of messages) stream.write(message);
  await ended.catch(() => undefined);
  stream.cancel();
}

/** Starts `count` calls and cancels each at once. */
function cancelCalls(client: Client, method: unknown, count: number): void {
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
    title: 'bytes that are not HTTP/2, on 200 connections',
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
    title: `messages that are not Protobuf, to ${(method as MethodDefinition<unknown, unknown>).path}`,
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
      // the library does not set the flag for compressed messages, so the store rejects the message
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
    title: '1,500 lists of a resource that does not exist, at once',
    on: 'store',
    run: async (client) => {
      const request = Buffer.from(encoded(store.list, { resource: 'x'.repeat(1000) }));
      await Promise.all(many(1500, () => call(client, store.list, request)));
    },
  },
  {
    title: '5,000 cancelled calls at once',
    on: 'store',
    run: async (client) => cancelCalls(client, store.session, 5000),
  },
  {
    title: 'follow streams for 100,000 collections that do not exist',
    on: 'watch',
    run: async (client) => {
      for (let part = 0; part < 5; part++) {
        const open = Array.from({ length: 20_000 }, (_, i) => `r${part}-${i}`);
        await call(client, watch.follow, Buffer.from(encoded(watch.follow, { open })));
      }
    },
  },
  {
    title: '1,000 streams that wait for a revision far in the future',
    on: 'watch',
    run: async (client) => {
      const request = Buffer.from(encoded(watch.follow, { open: ['configmaps'], waitFor: 2 ** 52 }));
      await Promise.all(many(1000, () => call(client, watch.follow, request)));
    },
  },
  {
    title: '5,000 cancelled calls at once',
    on: 'watch',
    run: async (client) => cancelCalls(client, watch.follow, 5000),
  },
  {
    title: '32 MiB of unknown empty fields',
    on: 'health',
    run: (client) => call(client, health.checks, repeated(15, 16 << 20)),
  },
];

describe('Floods by a faulty or compromised part', () => {
  let system: RunningSystem;
  let bystander: Bystander;
  before(async () => {
    system = await runningSystem();
    const { server, caFile, token } = system.tidegate;
    const kept = { metadata: { name: 'kept' } };
    assert.equal(
      (await system.client.request('POST', '/api/v1/namespaces/default/configmaps', { body: kept })).code,
      201,
    );
    const controlUrl = `http://${system.tidegate.part('gateway').opsAddress}/livez`;
    bystander = await Bystander.start({ server, caFile, token, path: KEPT, controlUrl });
  });
  after(async () => {
    await bystander?.stop();
    await system?.stop();
  });

  for (const { title, on, run } of ATTACKS) {
    test(`Clients are not delayed when a part sends ${title} to the ${on} service.`, async (t) => {
      const pid = system.tidegate.pid(on);
      const address = system.tidegate.part(on).grpcAddress as string;
      const client = grpcClient(address, credentials.createInsecure());
      await bystander.observation();
      await run(client, address);
      const observed = await bystander.observation();
      client.close();
      const mib = Math.round(memoryBytes(pid) / 2 ** 20);
      t.diagnostic(`slowest answer ${Math.round(observed.slowestMs)} ms; ${mib} MiB`);
      assert.deepEqual(observed.failures, []);
      assert.ok(observed.slowestMs < SLOWEST_MS, `an answer took ${observed.slowestMs} ms`);
      assert.ok(mib < LIMIT_MIB, `the ${on} service uses ${mib} MiB`);
      assert.equal(system.tidegate.pid(on), pid, 'the process was not restarted');
    });
  }

  test('After the floods, writes and watches still work.', async () => {
    const body = { metadata: { name: 'afterwards' } };
    assert.equal((await system.client.request('POST', '/api/v1/namespaces/default/configmaps', { body })).code, 201);
    await until('the watch to receive it', async () => (await bystander.observation()).events > 0);
  });
});
