import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { natsAddress } from '@tidegate/service-kit';
import { until, whyNoNats } from '@tidegate/testkit';
import { connect, type NatsConnection } from 'nats';
import { explainViolations, violationsOf } from './checks/all.ts';
import type { History } from './history/history.ts';
import { type LoadOptions, runLoad } from './load/run-load.ts';
import { type Cluster, startCluster } from './system/cluster.ts';
import { type BusFault, FaultyBus } from './system/faulty-bus.ts';

const FAULTS = ['lost', 'doubled', 'reordered', 'delayed'] as const satisfies readonly BusFault[];
const STREAM = 'TIDEGATE';

const noNats = (await whyNoNats()) ?? false;

interface BusSuite {
  readonly seed: number;
  /** how often each fault meets a message, of a hundred */
  readonly percent: number;
  readonly operations: number;
}

/** Real parts, and a bus between them that does what a bus may do. */
export function busSuite({ seed, percent, operations }: BusSuite): void {
  describe(`A bus that loses, doubles, reorders and delays messages (seed ${seed})`, { skip: noNats }, () => {
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
      rest: Pick<LoadOptions, 'operations' | 'over' | 'done' | 'betweenMs'>,
    ): Promise<History> => runLoad({ seed, namespace, endpoints: cluster.endpoints, catchUpMs: 10_000, ...rest });
    /** progress() resolves when some more operations were done */
    const whileWriting = async (namespace: string, work: (progress: () => Promise<unknown>) => Promise<void>) => {
      let operationsDone = 0;
      let over = false;
      const done = () => operationsDone++;
      // as long as the work takes, with pauses: how much is written in that time is not what is tested
      const rest = { operations: Number.POSITIVE_INFINITY, over: () => over, done, betweenMs: 10 };
      const history = load(namespace, rest);
      const progress = () => {
        const before = operationsDone;
        return until('clients to be served', () => operationsDone > before + 20);
      };
      await work(progress).finally(() => {
        over = true;
      });
      return history;
    };
    const keepsEveryPromise = (history: History) => {
      assert.equal(explainViolations(violationsOf(history)), '', `seed ${seed}`);
      const events = history.watchers.flatMap(({ streams }) => streams.flatMap((stream) => stream.events));
      assert.ok(events.length > 500, `${events.length} events: what was not seen was not checked`);
    };

    test('costs clients nothing: every promise is kept, and the log fills the gaps', async (t) => {
      const gapFills = await metric('gap_fills');
      bus.faulty = true;
      const history = await load('faults', { operations }).finally(() => {
        bus.faulty = false;
      });
      t.diagnostic(`published ${JSON.stringify(bus.published)}, delivered ${JSON.stringify(bus.delivered)}`);
      keepsEveryPromise(history);
      for (const fault of FAULTS) {
        assert.ok(bus.published[fault] > 0, `no message on its way in was ${fault}`);
        assert.ok(bus.delivered[fault] > 0, `no message on its way out was ${fault}`);
      }
      assert.ok((await metric('gap_fills')) > gapFills, 'the log was read for what was missing');
      assert.equal(await metric('resyncs'), 0, 'nothing was read anew');
    });

    test('whose stream is truncated while clients write costs them nothing', async () => {
      let purged = 0;
      const history = await whileWriting('truncated', async (progress) => {
        for (let round = 0; round < 30; round++) {
          await progress();
          purged += (await manager.streams.purge(STREAM)).purged;
        }
      });
      keepsEveryPromise(history);
      assert.ok(purged > 100, `${purged} messages were taken away`);
      assert.equal(await metric('resyncs'), 0, 'nothing was read anew');
    });

    test('whose stream is deleted while clients write costs them nothing, and brings changes again soon', async () => {
      const history = await whileWriting('deleted', async (progress) => {
        for (let round = 0; round < 3; round++) {
          await manager.streams.delete(STREAM);
          await progress();
          await until('the stream to be made again', () => manager.streams.info(STREAM).catch(() => undefined), 5000);
          const before = delivered();
          await until('the bus to deliver again', () => delivered() > before + 20, 5000);
        }
      });
      keepsEveryPromise(history);
      assert.equal(await metric('resyncs'), 0, 'nothing was read anew');
    });
  });
}
