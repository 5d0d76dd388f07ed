import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, credentials, Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { grpcClient } from '@tidegate/service-kit';
import { expired, serviceUnavailable } from '@tidegate/status';
import {
  type ListPage,
  type ListRequest,
  type LogBatch,
  type ReadLogRequest,
  store,
  toServiceError,
} from '@tidegate/wire';
import { restOfList, restOfLog, storeStream } from './store-stream.ts';

const OBJECTS = 40;
const REVISION = 100;

type Breaking = (call: ServerWritableStream<never, never>) => unknown;

/** Two replicas of a store that has forty objects, and breaks its streams after so many messages. */
class Stores {
  readonly asked: Array<{ replica: number; after: string | number; limit?: number }> = [];
  readonly servers: Server[] = [];
  clients: Client[] = [];
  /** after how many messages each attempt breaks; beyond the last one they do not */
  breaks: number[] = [];
  breaking: Breaking = unavailable;

  async start(): Promise<void> {
    this.clients = await Promise.all([0, 1].map((replica) => this.#startOne(replica)));
  }

  stop(): void {
    for (const client of this.clients) client.close();
    for (const server of this.servers) server.forceShutdown();
  }

  #startOne(replica: number): Promise<Client> {
    const server = new Server();
    this.servers.push(server);
    server.addService(
      { list: store.list, readLog: store.readLog } as never,
      {
        list: (call: ServerWritableStream<ListRequest, ListPage>) => {
          const { afterName = '', limit = 0 } = call.request;
          this.asked.push({ replica, after: afterName, limit });
          const first = afterName === '' ? 0 : Number(afterName.slice(1)) + 1;
          const end = limit === 0 ? OBJECTS : Math.min(OBJECTS, first + limit);
          this.#send(
            call,
            end - first,
            (i) => ({ revision: REVISION, epoch: 1, objects: [object(first + i)], remaining: 0 }) as ListPage,
          );
        },
        readLog: (call: ServerWritableStream<ReadLogRequest, LogBatch>) => {
          const { after, through = 0 } = call.request;
          this.asked.push({ replica, after });
          this.#send(call, through - after, (i) => ({
            epoch: 1,
            first: after + i + 1,
            last: after + i + 1,
            changes: [],
          }));
        },
      } as never,
    );
    return new Promise((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(grpcClient(`127.0.0.1:${port}`, credentials.createInsecure())),
      ),
    );
  }

  #send<Request, Response>(
    call: ServerWritableStream<Request, Response>,
    count: number,
    message: (i: number) => Response,
  ): void {
    const breakAfter = this.breaks.shift() ?? Number.POSITIVE_INFINITY;
    for (let i = 0; i < Math.min(count, breakAfter); i++) call.write(message(i));
    if (breakAfter === Number.POSITIVE_INFINITY) call.end();
    else this.breaking(call as never);
  }
}

function object(i: number) {
  const key = { resource: 'r', namespace: 'n', name: `x${String(i).padStart(3, '0')}` };
  const nothing = { value: Buffer.alloc(0), splice: 0, selection: Buffer.alloc(0), uid: '' };
  return { key, revision: i + 1, ...nothing, deleting: false, corrupt: '', stale: false };
}

const ALL = Array.from({ length: OBJECTS }, (_, i) => object(i).key.name);
const unavailable: Breaking = (call) => call.emit('error', toServiceError(serviceUnavailable('PostgreSQL is away')));
const lostHistory: Breaking = (call) => call.emit('error', toServiceError(expired('too old')));

describe('A stream of the store that breaks', () => {
  let stores: Stores;
  before(async () => {
    stores = new Stores();
    await stores.start();
  });
  after(() => stores.stop());

  interface Run {
    breaks: number[];
    breaking?: Breaking;
    limit?: number;
    giveUpAfterMs?: number;
    silenceMs?: number;
  }
  let resumed = 0;
  const begin = ({ breaks, breaking = unavailable }: Run) => {
    stores.breaks = [...breaks];
    stores.breaking = breaking;
    stores.asked.length = 0;
    resumed = 0;
    return { client: (i: number) => stores.clients[i % 2] as Client, resumed: () => resumed++ };
  };
  const list = async (run: Run): Promise<string[]> => {
    const request = { resource: 'r', revision: REVISION, limit: run.limit ?? 0 };
    const { giveUpAfterMs = 5000, silenceMs = 5000 } = run;
    const names: string[] = [];
    const method = store.list as never;
    for await (const page of storeStream<ListRequest, ListPage>({
      ...begin(run),
      method,
      request,
      rest: restOfList,
      giveUpAfterMs,
      silenceMs,
    }))
      names.push(...page.objects.map(({ key }) => key.name));
    return names;
  };

  test('continues at the next replica, after the last received key', async () => {
    assert.deepEqual(await list({ breaks: [7, 0, 12] }), ALL);
    assert.deepEqual(stores.asked, [
      { replica: 0, after: '', limit: 0 },
      { replica: 1, after: 'x006', limit: 0 },
      { replica: 0, after: 'x006', limit: 0 },
      { replica: 1, after: 'x018', limit: 0 },
    ]);
    assert.equal(resumed, 3);
  });

  test('delivers no more than the limit altogether', async () => {
    assert.deepEqual(await list({ breaks: [7, 3], limit: 20 }), ALL.slice(0, 20));
    assert.deepEqual(
      stores.asked.map(({ limit }) => limit),
      [20, 13, 10],
    );
  });

  test('sends no further request when it broke after the last answer', async () => {
    assert.deepEqual(await list({ breaks: [20], limit: 20 }), ALL.slice(0, 20));
    assert.equal(resumed, 0);
  });

  test('or falls silent continues, too', async () => {
    assert.deepEqual(await list({ breaks: [5, 9], breaking: () => {}, silenceMs: 500 }), ALL);
    assert.equal(resumed, 2);
  });

  test('continues a log after the last received revision', async () => {
    const request = { after: 10, through: 50 };
    const seen: number[] = [];
    const options = { ...begin({ breaks: [3, 4] }), method: store.readLog as never, request, rest: restOfLog };
    for await (const { last } of storeStream<ReadLogRequest, LogBatch>(options)) seen.push(last);
    assert.deepEqual(
      seen,
      Array.from({ length: 40 }, (_, i) => 11 + i),
    );
    assert.deepEqual(
      stores.asked.map(({ after }) => after),
      [10, 13, 17],
    );
  });

  test('fails with an error that another replica would return, too', async () => {
    await assert.rejects(list({ breaks: [5], breaking: lostHistory }), { reason: 'Expired' });
    assert.equal(stores.asked.length, 1);
  });

  test('fails when no replica answers for too long', async () => {
    const never = new Array<number>(100).fill(0);
    await assert.rejects(list({ breaks: never, giveUpAfterMs: 1500 }), { code: 503, message: 'PostgreSQL is away' });
    assert.ok(stores.asked.length >= 3, `${stores.asked.length} attempts`);
  });
});
