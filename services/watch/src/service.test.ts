import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import {
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { Checks, grpcClient, LoadMeter, type Logger, MetricRegistry, Retries } from '@tidegate/service-kit';
import {
  type CollectionListRequest,
  type FollowLogRequest,
  type FollowRequest,
  type FollowResponse,
  type HeadResponse,
  type ListPage,
  type ListPart,
  type LogBatch,
  store,
  watch,
} from '@tidegate/wire';
import { WatchService } from './service.ts';

const SILENT = { info() {}, warn() {}, error() {} } as unknown as Logger;
const OBJECTS = 7;
const nothing = { selection: Buffer.alloc(0), splice: 0, deleting: false, corrupt: '' };

/** A store with seven objects. The test decides when it answers its first call, and when it commits. */
class Store {
  readonly #server = new Server();
  readonly #open = Promise.withResolvers<void>();
  #following: ServerWritableStream<FollowLogRequest, LogBatch> | undefined;
  revision = OBJECTS;
  epoch = 1;
  address = '';

  async start(): Promise<void> {
    this.#server.addService(store, {
      head: async (_call: unknown, callback: sendUnaryData<HeadResponse>) => {
        await this.#open.promise;
        callback(null, { revision: this.revision, floor: this.revision, epoch: this.epoch });
      },
      list: (call: ServerWritableStream<unknown, ListPage>) => {
        const objects = Array.from({ length: this.revision }, (_, i) => this.#object(i + 1));
        call.write({ revision: this.revision, epoch: this.epoch, objects: objects as never, remaining: 0 });
        call.end();
      },
      readLog: (call: ServerWritableStream<unknown, LogBatch>) => call.end(),
      followLog: (call: ServerWritableStream<FollowLogRequest, LogBatch>) => {
        this.#following = call;
      },
    });
    this.address = `127.0.0.1:${await bound(this.#server)}`;
  }

  allowReads(): void {
    this.#open.resolve();
  }

  get isFollowed(): boolean {
    return this.#following !== undefined;
  }

  /** Commits one more object, and sends the change to the follower. */
  commit(epoch = this.epoch): void {
    this.epoch = epoch;
    const revision = ++this.revision;
    const change = { kind: 0, previousRevision: 0, traceparent: '', byReference: false, ...this.#object(revision) };
    this.#following?.write({ epoch, first: revision, last: revision, changes: [change] as never });
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  #object(revision: number) {
    const name = `n${revision}`;
    const key = { resource: 'maps', namespace: 'default', name };
    return { key, revision, value: Buffer.from(`{"metadata":{"name":"${name}"}}`), uid: `uid-${revision}`, ...nothing };
  }
}

function bound(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );
}

describe('A watch service', () => {
  const source = new Store();
  const checks = new Checks();
  const metrics = new MetricRegistry();
  const load = new LoadMeter();
  const server = new Server();
  /** the calls as the service sees them */
  const calls: Array<{ cancelled: boolean }> = [];
  let service: WatchService;
  let client: Client;

  before(async () => {
    await source.start();
    const config = { storeAddresses: [source.address], windowMemoryMib: 1, selfCheckSeconds: 300 };
    const noBus = { natsUrl: '', natsCaFile: '', natsCertFile: '', natsKeyFile: '' };
    const tracing = { enabled: false, request: () => undefined, child: () => undefined, shutdown: async () => {} };
    service = new WatchService(
      { ...config, ...noBus } as never,
      {
        part: 'watch',
        instance: 'watch-1',
        log: SILENT,
        checks,
        metrics,
        retries: new Retries(SILENT, metrics),
        load,
        tracing,
        credentials: { client: () => credentials.createInsecure() },
      } as never,
    );
    for (const [definition, implementation] of service.rpc) {
      const { follow, list } = implementation as Record<string, (call: { cancelled: boolean }) => void>;
      const noted = (handler: typeof follow) => (call: { cancelled: boolean }) => {
        calls.push(call);
        handler?.(call);
      };
      server.addService(definition as ServiceDefinition, { follow: noted(follow), list: noted(list) } as never);
    }
    client = grpcClient(`127.0.0.1:${await bound(server)}`, credentials.createInsecure());
    await service.start();
  });
  after(async () => {
    await service.stop();
    client.close();
    server.forceShutdown();
    source.stop();
  });

  const follow = (): ClientDuplexStream<FollowRequest, FollowResponse> => {
    const { path, requestSerialize, responseDeserialize } = watch.follow as never as (typeof watch)[string];
    const call = client.makeBidiStreamRequest(path, requestSerialize as never, responseDeserialize as never);
    // it is cancelled at the end
    call.on('error', () => {});
    return call as never;
  };
  const list = (revision: number): ClientReadableStream<ListPart> => {
    const { path, requestSerialize, responseDeserialize } = watch.list as never as (typeof watch)[string];
    const nowhere = { namespace: '', afterNamespace: '', afterName: '', limit: 0 };
    const request = { resource: 'maps', revision, exact: false, heads: false, typeless: false, ...nowhere };
    return client.makeServerStreamRequest<CollectionListRequest, ListPart>(
      path,
      requestSerialize as never,
      responseDeserialize as never,
      request,
    );
  };
  const counted = async (revision: number) => {
    let count = 0;
    for await (const part of list(revision) as AsyncIterable<ListPart>) count += part.count ?? 0;
    return count;
  };
  /** Resolves when the stream is complete through the revision. */
  const reached = (call: ClientDuplexStream<FollowRequest, FollowResponse>, revision: number) =>
    new Promise<void>((resolve) => {
      call.on('data', ({ through = 0 }: FollowResponse) => {
        if (through >= revision) resolve();
      });
    });
  const opened = async () => {
    const call = follow();
    call.write({ open: ['maps'] });
    await reached(call, source.revision);
    return call;
  };
  const followers = () => load.load().watchers;
  const metric = async (name: string) =>
    Number((await metrics.exposition(undefined)).text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1]);
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  const until = async (condition: () => boolean) => {
    while (!condition()) await nextTurn();
  };
  const unready = () =>
    checks
      .at('readyz')
      .filter(({ failing }) => failing() !== undefined)
      .map(({ name }) => name);

  test('is not ready before its collections are loaded, and forgets a stream that ends before that', async () => {
    assert.deepEqual(unready(), ['collections']);
    const left = follow();
    await until(() => calls.length === 1);
    const stayed = follow();
    await until(() => calls.length === 2);
    left.cancel();
    await until(() => calls[0]?.cancelled === true);
    const waiting = counted(0);
    source.allowReads();
    assert.equal(await waiting, OBJECTS);
    assert.deepEqual(unready(), []);
    assert.equal(followers(), 1);
    stayed.cancel();
    await until(() => followers() === 0);
  });

  test('follows the log of the store without a bus, and sends the changes to its followers', async () => {
    const call = await opened();
    await until(() => source.isFollowed);
    source.commit();
    await reached(call, source.revision);
    assert.equal(service.revision(), source.revision);
    assert.equal(await counted(source.revision), OBJECTS + 1);
    call.cancel();
    await until(() => followers() === 0);
  });

  test('ends the list of a revision that does not exist when the call ends, and serves other calls', async () => {
    const before = calls.length;
    const call = list(1_000_000);
    const over = once(call, 'error');
    await until(() => calls.length > before);
    call.cancel();
    await over;
    await until(() => calls[before]?.cancelled === true);
    assert.equal(await counted(source.revision), source.revision);
  });

  test('ends its followers when a new epoch begins, and serves the reloaded collections', async () => {
    const call = await opened();
    const ended = once(call, 'end');
    source.commit(2);
    await ended;
    assert.equal(await counted(source.revision), source.revision);
    assert.equal(await metric('tidegate_watch_resyncs_total'), 1);
    assert.equal(followers(), 0);
    const again = await opened();
    again.cancel();
    await until(() => followers() === 0);
  });

  test('ends its followers when it drains', async () => {
    const call = await opened();
    const ended = once(call, 'end');
    await service.drain();
    await ended;
    assert.equal(followers(), 0);
  });
});
