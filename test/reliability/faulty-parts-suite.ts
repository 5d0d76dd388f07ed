import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Cluster, startCluster } from '@tidegate/testkit';
import { type CheckName, explainViolations, type Violations, violationsOf } from './checks/all.ts';
import { type LoadOptions, runLoad } from './load/run-load.ts';
import { FaultyStore, type StoreFault } from './system/faulty-store.ts';
import { FaultyWatch, type WatchFault } from './system/faulty-watch.ts';

/** A watcher that a faulty part has misled may never reach the end. */
const FAULTY_CATCH_UP_MS = 1500;

type BadStore = Exclude<StoreFault, 'none' | 'reports an old revision'>;

const storeFaults: Record<BadStore, CheckName> = {
  'acknowledges a write that it drops': 'objects are linearizable',
  'answers a read with an older state': 'objects are linearizable',
  'assigns one version to two writes': 'versions are used once',
  'swaps the versions of two writes': 'versions are used once',
  'reports a committed write as failed': 'objects are linearizable',
};

/** The other faults break no promise. */
type BadWatch = Exclude<
  WatchFault,
  'none' | 'duplicates a change' | 'delays every change' | 'delays every change for one gateway'
>;
const watchFaults: Record<BadWatch, CheckName> = {
  'drops a change': 'Reliable',
  'swaps two changes': 'Reliable',
  'repeats a change under the next version': 'versions are used once',
  'sends a change with another version': 'versions are used once',
  'selects by outdated labels': 'Filtered',
  'reports progress before it sends the changes': 'Reliable',
};

interface Faults {
  readonly store: readonly BadStore[];
  readonly watch: readonly BadWatch[];
}

export const everyFault: Faults = {
  store: Object.keys(storeFaults) as BadStore[],
  watch: Object.keys(watchFaults) as BadWatch[],
};

/** Proves that the checks find the faults of a part, and report none for a correct part. */
export function faultyPartsSuite(faults: Faults): void {
  describe('Detection of faulty parts', () => {
    const faultyStore = new FaultyStore();
    const faultyWatch = new FaultyWatch();
    let cluster: Cluster;
    let runs = 0;

    before(async () => {
      cluster = await startCluster({
        replicas: 1,
        nats: false,
        beforeStores: (addresses, certificates) => faultyStore.start(addresses, certificates),
        beforeWatches: (addresses, certificates) => faultyWatch.start(addresses, certificates),
      });
    });
    after(async () => {
      await cluster.stop();
      await faultyStore.close();
      await faultyWatch.close();
    });

    type Limits = Partial<Pick<LoadOptions, 'operations' | 'isOver' | 'catchUpMs'>>;
    const run = async (fault: { store?: StoreFault; watch?: WatchFault }, limits: Limits = {}): Promise<Violations> => {
      faultyStore.setFault(fault.store ?? 'none');
      faultyWatch.setFault(fault.watch ?? 'none');
      const seed = ++runs;
      const { endpoints } = cluster;
      const options = { seed, namespace: `run-${seed}`, endpoints, operations: 250, catchUpMs: 30_000 };
      return violationsOf(await runLoad({ ...options, ...limits }));
    };
    // a single fault may be invisible: a stale read is allowed while the missing write is still in progress
    const untilInjected = (part: { injected: number }) => ({
      ...{ operations: 5000, isOver: () => part.injected >= 12 },
      catchUpMs: FAULTY_CATCH_UP_MS,
    });

    test('A part that only forwards causes no violations.', async () => {
      assert.equal(explainViolations(await run({})), '');
    });

    test('A watch service that duplicates changes causes no violations, because gateways drop duplicates.', async () => {
      assert.equal(explainViolations(await run({ watch: 'duplicates a change' })), '');
      assert.ok(faultyWatch.injected > 0);
    });

    const testDetection = (
      fault: string,
      broken: CheckName,
      faults: Parameters<typeof run>[0],
      part: { injected: number },
    ) =>
      test(`A part that ${fault} violates the check "${broken}".`, async () => {
        const violations = await run(faults, untilInjected(part));
        assert.ok(part.injected > 0, 'no fault was injected');
        assert.ok(violations.has(broken), `found only:\n${explainViolations(violations)}`);
      });
    for (const fault of faults.store) testDetection(fault, storeFaults[fault], { store: fault }, faultyStore);
    for (const fault of faults.watch) testDetection(fault, watchFaults[fault], { watch: fault }, faultyWatch);

    test('A store that reports an old revision while changes are late violates the check "lists are as fresh as requested".', async () => {
      const violations = await run(
        { store: 'reports an old revision', watch: 'delays every change' },
        { catchUpMs: FAULTY_CATCH_UP_MS },
      );
      assert.ok(violations.has('lists are as fresh as requested'), `found only:\n${explainViolations(violations)}`);
    });
  });
}
