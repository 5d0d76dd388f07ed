import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  credentials,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { type LogBatch, type ReadLogRequest, store } from '@tidegate/wire';
import { Replicas } from './replicas.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Replicas behind a name, with a fake DNS. */
class Behind {
  addresses: readonly string[] = [];
  moves = 0;
  #due: () => void = () => {};
  readonly replicas: Replicas;

  constructor(addresses: readonly string[], caller = 'one') {
    this.addresses = addresses;
    this.replicas = new Replicas({
      names: ['dns:///store:1'],
      credentials: credentials.createInsecure(),
      caller,
      moved: () => this.moves++,
      lookUp: async () => this.addresses,
      setTimeoutFn: (work) => {
        this.#due = work;
        return { unref() {} } as NodeJS.Timeout;
      },
    });
  }

  async becomes(...addresses: string[]): Promise<void> {
    this.addresses = addresses;
    this.#due();
    await settled();
  }

  /** the address of the client in use */
  get target(): string {
    return this.replicas.client().getChannel().getTarget().replace('dns:', '');
  }
}

test('Fixed addresses are used in their order, and the first follows the last.', () => {
  const replicas = new Replicas({ names: ['a:1', 'b:2'], credentials: credentials.createInsecure() });
  const used = () => replicas.client().getChannel().getTarget();
  const seen = [used()];
  for (let i = 0; i < 2; i++) {
    replicas.next();
    seen.push(used());
  }
  assert.deepEqual(seen, ['dns:a:1', 'dns:b:2', 'dns:a:1']);
  replicas.close();
});

test('An operation uses the next replica at each attempt, independently of other operations.', () => {
  const replicas = new Replicas({ names: ['a:1', 'b:2'], credentials: credentials.createInsecure() });
  const client = replicas.rotation();
  const first = client(0);
  replicas.next();
  assert.notEqual(client(1), first);
  assert.equal(client(2), first);
  replicas.close();
});

test('Callers are spread over the replicas behind a name, and each keeps its replica.', async () => {
  const all = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
  const chosen = new Map<string, number>();
  for (let i = 0; i < 60; i++) {
    const behind = new Behind(all, `caller-${i}`);
    await settled();
    const before = behind.target;
    await behind.becomes(...all.toReversed());
    assert.equal(behind.target, before);
    chosen.set(before, (chosen.get(before) ?? 0) + 1);
    behind.replicas.close();
  }
  assert.equal(chosen.size, 3);
  assert.ok(Math.min(...chosen.values()) >= 8, JSON.stringify([...chosen]));
});

test('Only callers that prefer a new replica move to it, and they are notified.', async () => {
  let drawn = 0;
  for (let i = 0; i < 60; i++) {
    const behind = new Behind(['10.0.0.1', '10.0.0.2'], `caller-${i}`);
    await settled();
    const [before, moves] = [behind.target, behind.moves];
    await behind.becomes('10.0.0.1', '10.0.0.2', '10.0.0.3');
    const hasMoved = behind.target === '10.0.0.3:1';
    if (!hasMoved) assert.equal(behind.target, before);
    assert.equal(behind.moves - moves, hasMoved ? 1 : 0);
    if (hasMoved) drawn++;
    behind.replicas.close();
  }
  assert.ok(drawn >= 8 && drawn <= 35, String(drawn));
});

test('When the replica in use is removed, the caller is notified and uses another one.', async () => {
  const behind = new Behind(['10.0.0.1', '10.0.0.2']);
  await settled();
  const gone = behind.target;
  const left = gone === '10.0.0.1:1' ? '10.0.0.2' : '10.0.0.1';
  const before = behind.moves;
  await behind.becomes(left);
  assert.equal(behind.target, `${left}:1`);
  assert.equal(behind.moves, before + 1);
  assert.equal(behind.replicas.count, 1);
  behind.replicas.close();
});

test('An active call continues although its replica is no longer used.', async () => {
  const server = new Server();
  let call: ServerWritableStream<ReadLogRequest, LogBatch> | undefined;
  server.addService({ readLog: store.readLog } as never, {
    readLog: (opened: ServerWritableStream<ReadLogRequest, LogBatch>) => {
      call = opened;
      opened.write({ epoch: 1, first: 1, last: 1, changes: [] });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, number: number) => (error === null ? resolve(number) : reject(error));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), bound);
  });
  let found = ['127.0.0.1'];
  let again = () => {};
  const replicas = new Replicas({
    names: [`dns:///store:${port}`],
    credentials: credentials.createInsecure(),
    lookUp: async () => found,
    setTimeoutFn: (work) => {
      again = work;
      return { unref() {} } as NodeJS.Timeout;
    },
  });
  await settled();
  const method = store.readLog as MethodDefinition<ReadLogRequest, LogBatch>;
  const { path, requestSerialize, responseDeserialize } = method;
  const stream = replicas.client().makeServerStreamRequest(path, requestSerialize, responseDeserialize, { after: 0 });
  const batches = (stream as AsyncIterable<LogBatch>)[Symbol.asyncIterator]();
  assert.equal((await batches.next()).value?.last, 1);
  found = ['127.0.0.2'];
  again();
  await settled();
  assert.equal(replicas.client().getChannel().getTarget(), `dns:127.0.0.2:${port}`);
  call?.write({ epoch: 1, first: 2, last: 2, changes: [] });
  call?.end();
  assert.equal((await batches.next()).value?.last, 2);
  assert.equal((await batches.next()).done, true);
  replicas.close();
  server.forceShutdown();
});
