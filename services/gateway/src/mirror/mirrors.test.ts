import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentials, Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { WindowMemory } from '@tidegate/collection';
import { toRevision } from '@tidegate/revision';
import { MetricRegistry, Retry } from '@tidegate/service-kit';
import { until } from '@tidegate/testkit';
import { type FollowRequest, type FollowResponse, watch } from '@tidegate/wire';
import { declareMetrics } from '../metrics.ts';
import { Mirror, suspectName } from './mirror.ts';
import { Mirrors } from './mirrors.ts';

const KILOBYTES = 100;
const opened: string[] = [];
const closed: string[] = [];
const server = new Server();
let address: string;

/** Has every collection: ten objects of ten kilobytes. */
function follow(call: ServerDuplexStream<FollowRequest, FollowResponse>): void {
  call.on('data', ({ open = [], close = [] }: FollowRequest) => {
    closed.push(...close);
    for (const resource of open) {
      opened.push(resource);
      const one = `{"x":"${'y'.repeat(KILOBYTES * 100)}"}`;
      const items = Array.from({ length: 10 }, (_, i) => ({
        namespace: 'n',
        name: `o${i}`,
        revision: i + 1,
        uid: 'u',
        size: one.length,
        splice: 1,
        selection: Buffer.alloc(0),
        deleting: false,
      }));
      const segments = [{ json: Buffer.from(`${one},`.repeat(10)), items }];
      call.write({ sizes: [{ resource: 'giants', bytes: 1 << 30 }] });
      call.write({ opening: { resource, segments, opened: true, revision: 10, floor: 10 } });
      call.write({ changes: [], through: 10, epoch: 1 });
    }
  });
  call.on('end', () => call.end());
}

before(async () => {
  server.addService(watch, { follow });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  address = `127.0.0.1:${port}`;
});

after(() => server.forceShutdown());

function mirrorsOf(memoryBytes: number, now: () => number): Mirrors {
  const tracing = { enabled: false, request: () => undefined, child: () => undefined, shutdown: async () => {} };
  const windows = new WindowMemory({ bytes: 1 << 20 });
  return new Mirrors({
    addresses: [address],
    credentials: credentials.createInsecure(),
    retry: new Retry({ firstMs: 10, longestMs: 100 }),
    tracing,
    metrics: declareMetrics(new MetricRegistry(), windows),
    windows,
    memoryBytes,
    largestBytes: memoryBytes,
    isTypeless: () => false,
    lagged: () => {},
    now,
  });
}

test('when all mirrors are too large, the least recently used are evicted, and opened again on demand', async () => {
  let time = 0;
  const mirrors = mirrorsOf(250 << 10, () => ++time);
  const has = (resource: string) => mirrors.peek(resource) !== undefined;
  mirrors.start();
  try {
    const use = (resource: string) => mirrors.collection(resource, toRevision(10), 10_000);
    mirrors.keep('kept');
    for (const resource of ['kept', 'a', 'b']) assert.equal((await use(resource))?.size, 10);
    assert.deepEqual(['kept', 'a', 'b'].map(has), [true, false, true]);
    const again = await use('a');
    assert.equal(again?.size, 10);
    assert.deepEqual(['kept', 'a', 'b'].map(has), [true, true, false]);
    await until('the watch service to be told', () => closed.length === 2);
    assert.deepEqual(closed, ['a', 'b']);
    assert.deepEqual(opened, ['kept', 'a', 'b', 'a']);
  } finally {
    mirrors.stop();
  }
});

test('a collection that is read often is opened, unless it is too large', async () => {
  const mirrors = mirrorsOf(1 << 20, () => 0);
  mirrors.start();
  try {
    assert.equal(mirrors.openForReads('often'), false, 'nothing is connected yet');
    await mirrors.collection('first', toRevision(10), 10_000);
    assert.equal(mirrors.openForReads('often'), false, 'it has just been asked for');
    await until('the collection', () => mirrors.openForReads('often'));
    assert.equal(mirrors.peek('often')?.size, 10);
    assert.equal(mirrors.openForReads('giants'), false);
    assert.ok(!opened.includes('giants'));
  } finally {
    mirrors.stop();
  }
});

test('an unreadable object stays a suspect until a later state of it arrives', () => {
  const mirror = new Mirror('configmaps', new WindowMemory({ bytes: 1 << 20 }));
  mirror.receiveOpening({ resource: 'configmaps', opened: true, revision: 10, floor: 10 });
  const key = { resource: 'configmaps', namespace: 'n', name: 'a' };
  const state = { uid: 'u', value: Buffer.from('{}'), splice: 1, selection: Buffer.alloc(0), labels: {}, fields: {} };
  const change = (revision: number, kind: number) =>
    ({ ...state, key, revision, kind, previousRevision: 0, deleting: false, corrupt: '', traceparent: '' }) as never;
  mirror.suspects.set(suspectName(key), { key, revision: 11 });
  mirror.apply(change(11, 1));
  assert.equal(mirror.suspects.size, 1);
  mirror.apply(change(12, 2));
  assert.equal(mirror.suspects.size, 0);
});
