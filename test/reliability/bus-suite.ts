import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { natsAddress } from '@tidegate/service-kit';
import { type Cluster, startCluster, until, whyNoNats } from '@tidegate/testkit';
import { connect, type NatsConnection } from 'nats';
import { explainViolations, violationsOf } from './checks/all.ts';
import type { History } from './history/history.ts';
import { type LoadOptions, runLoad } from './load/run-load.ts';
import { type BusFault, FaultyBus } from './system/faulty-bus.ts';

const FAULTS = ['lost', 'doubled', 'reordered', 'delayed'] as const satisfies readonly BusFault[];
const STREAM = 'TIDEGATE';

const noNats = (await whyNoNats()) ?? false;

interface BusSuite {
  readonly seed: number;
  /** how many percent of the messages each fault affects */
  readonly percent: number;
  readonly operations: number;
}

/** Real parts with a bus that loses, duplicates, reorders and delays messages. */
export function busSuite({ seed, percent, operations }: BusSuite): void {
  describe(`A faulty bus (seed ${seed})`, { skip: noNats }, () => {
    let bus: FaultyBus;
    let cluster: Cluster;
    let connection: NatsConnection;
    let manager: JetStreamManager;

    before(async () => {
      cluster = await startCluster({
        replicas: 1,
        nats: true,
        beforeNats: async (url) => {
          bus = new FaultyBus({ url, seed, percent });
          return bus.start();
        },
      });
      connection = await connect(natsAddress({ natsUrl: cluster.nats?.url as string }));
      manager = await jetstreamManager(connection);
    });
    after(async () => {
      await connection?.close();
      await cluster?.stop();
      await bus?.close();
    });

    const metric = (name: string) => cluster.metric('watch-1', `tidegate_watch_${name}_total`);
    const delivered = () => FAULTS.reduce((sum, fault) => sum + bus.delivered[fault], bus.delivered.passed);
    const load = (
      namespace: string,
      rest: Pick<LoadOptions, 'operations' | 'isOver' | 'onDone' | 'pauseMs'>,
    ): Promise<History> => runLoad({ seed, namespace, endpoints: cluster.endpoints, catchUpMs: 30_000, ...rest });
    /** Runs `work` during writes; `progress()` resolves when more than 20 further operations are done. */
    const whileWriting = async (namespace: string, work: (progress: () => Promise<unknown>) => Promise<void>) => {
      let operationsDone = 0;
      let isOver = false;
      const onDone = () => operationsDone++;
      // clients pause between writes; throughput does not matter here
      const rest = { operations: Number.POSITIVE_INFINITY, isOver: () => isOver, onDone, pauseMs: 10 };
      const history = load(namespace, rest);
      const progress = () => {
        const before = operationsDone;
        return until('clients to be served', () => operationsDone > before + 20);
      };
      await work(progress).finally(() => {
        isOver = true;
      });
      return history;
    };
    const assertPromisesKept = (history: History) => {
      assert.equal(explainViolations(violationsOf(history)), '', `seed ${seed}`);
      const events = history.watchers.flatMap(({ streams }) => streams.flatMap((stream) => stream.events));
      assert.ok(events.length > 500, `only ${events.length} events were checked`);
    };

    test('Every promise is kept when the bus loses, duplicates, reorders and delays messages; gaps are filled from the log.', async (t) => {
      const gapFills = await metric('gap_fills');
      bus.faulty = true;
      const history = await load('faults', { operations }).finally(() => {
        bus.faulty = false;
      });
      t.diagnostic(`published ${JSON.stringify(bus.published)}, delivered ${JSON.stringify(bus.delivered)}`);
      assertPromisesKept(history);
      for (const fault of FAULTS) {
        assert.ok(bus.published[fault] > 0, `no published message was ${fault}`);
        assert.ok(bus.delivered[fault] > 0, `no delivered message was ${fault}`);
      }
      assert.ok((await metric('gap_fills')) > gapFills, 'missing changes were read from the log');
      assert.equal(await metric('resyncs'), 0, 'there was no resync');
    });

    test('Every promise is kept when the stream is purged during writes.', async () => {
      let purged = 0;
      const history = await whileWriting('truncated', async (progress) => {
        for (let round = 0; round < 30; round++) {
          await progress();
          purged += (await manager.streams.purge(STREAM)).purged;
        }
      });
      assertPromisesKept(history);
      assert.ok(purged > 100, `${purged} messages were purged`);
      assert.equal(await metric('resyncs'), 0, 'there was no resync');
    });

    test('Every promise is kept when the stream is deleted during writes, and it is created again.', async () => {
      const history = await whileWriting('deleted', async (progress) => {
        for (let round = 0; round < 3; round++) {
          await manager.streams.delete(STREAM);
          await progress();
          await until('the stream to be created again', () => manager.streams.info(STREAM).catch(() => undefined));
          const before = delivered();
          await until('the bus to deliver again', () => delivered() > before + 20);
        }
      });
      assertPromisesKept(history);
      assert.equal(await metric('resyncs'), 0, 'there was no resync');
    });
  });
}
