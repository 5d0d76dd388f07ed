import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { natsAddress } from '@tidegate/service-kit';
import {
  peerCertificates,
  startNats,
  startPostgres,
  type TestCertificates,
  type TestNats,
  type TestPostgres,
  until,
  whyNoNats,
} from '@tidegate/testkit';
import { type LogBatch, logBatchCodec } from '@tidegate/wire';
import { connect, type NatsConnection } from 'nats';
import { collect, freshDatabase, keyOf, textValue, write } from '../testing/fixture.ts';
import { startStore, type TestStore } from '../testing/store-process.ts';

describe('What the store publishes', { skip: (await whyNoNats()) ?? false }, () => {
  let postgres: TestPostgres;
  let nats: TestNats;
  let certificates: TestCertificates;
  let store: TestStore;
  let listener: NatsConnection;
  const heard: LogBatch[] = [];
  let head = 0;

  before(async () => {
    [postgres, nats, certificates] = await Promise.all([startPostgres(), startNats(), peerCertificates()]);
    store = await startStore(certificates, { postgresUrl: await freshDatabase(postgres), natsUrl: nats.url });
    listener = await connect({
      ...natsAddress({ natsUrl: nats.url }),
      reconnectTimeWait: 50,
      maxReconnectAttempts: -1,
    });
    listener.subscribe('tidegate.changes.0', {
      callback: (_, message) => void heard.push(logBatchCodec.decode(message.data)),
    });
    listener.subscribe('tidegate.head', {
      callback: (_, message) => {
        head = Number(message.string());
      },
    });
    await listener.flush();
    await until('NATS to be ready for the store', () => check() === undefined);
  });

  after(async () => {
    await listener?.close();
    await store?.stop();
    certificates?.remove();
    await nats?.stop();
    await postgres?.stop();
  });

  function check(): string | undefined {
    return store.checks
      .at('healthz')
      .find(({ name }) => name === 'nats')
      ?.failing();
  }

  async function create(name: string, value = textValue(name)): Promise<number> {
    const { writes } = await store.ask({ writes: [write('create', keyOf(name), { value })] });
    assert.equal(writes[0]?.kind, 0);
    return writes[0]!.revision;
  }

  function heardAt(revision: number) {
    return heard.flatMap((batch) => batch.changes).find((change) => change.revision === revision);
  }

  test('The published changes of a commit equal its changes in the log.', async () => {
    const first = await create('published');
    await store.ask({ writes: [write('update', keyOf('published'), { value: textValue('2') })] });
    await store.ask({ writes: [write('delete', keyOf('published'))] });
    await until('all three to arrive', () => heardAt(first + 2));
    const logged = (await collect(store.stream<LogBatch>('readLog', { after: first - 1 }))).flatMap((b) => b.changes);
    assert.deepEqual(
      JSON.parse(JSON.stringify([first, first + 1, first + 2].map(heardAt))),
      JSON.parse(JSON.stringify(logged)),
    );
  });

  test('The newest revision is published although nothing is written.', async () => {
    const revision = await create('told');
    await until('the heartbeat', () => head === revision);
  });

  test('A value above the payload limit of NATS is published as a reference.', async () => {
    const revision = await create('huge', textValue('x'.repeat(2 << 20)));
    const change = await until('the reference', () => heardAt(revision));
    assert.deepEqual([change.byReference, change.value.length], [true, 0]);
  });

  test('While NATS is down writes are committed and its check fails; after its return changes are published again.', async () => {
    await nats.kill();
    await until('the loss to be noticed', () => check() !== undefined);
    const revisions: number[] = [];
    for (let i = 0; i < 20; i++) revisions.push(await create(`down-${i}`));
    assert.match(
      (await store.metrics.exposition(undefined)).text,
      /tidegate_store_publish_total\{result="dropped"\} 20/,
    );
    await nats.restart();
    await until('the return to be noticed', () => check() === undefined);
    await until('the listener to be back', () => head >= revisions.at(-1)!);
    const revision = await create('after');
    await until('the next change', () => heardAt(revision));
  });
});
