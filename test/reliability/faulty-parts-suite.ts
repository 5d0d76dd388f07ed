import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type CheckName, explainViolations, type Violations, violationsOf } from './checks/all.ts';
import { type LoadOptions, runLoad } from './load/run-load.ts';
import { type Cluster, startCluster } from './system/cluster.ts';
import { FaultyStore, type StoreFault } from './system/faulty-store.ts';
import { FaultyWatch, type WatchFault } from './system/faulty-watch.ts';

type BadStore = Exclude<StoreFault, 'none' | 'tells an old revision'>;

const storeFaults: Record<BadStore, CheckName> = {
  'acknowledges a write that it drops': 'objects are linearizable',
  'answers a read with an older state': 'objects are linearizable',
  'gives a version to two writes': 'versions are used once',
  'swaps the versions of two writes': 'versions are used once',
  'says of a write that was made that nothing happened': 'objects are linearizable',
};

/** In the others there is no lie. */
type BadWatch = Exclude<
  WatchFault,
  'none' | 'doubles a change' | 'brings everything late' | 'brings one gateway everything late'
>;
const watchFaults: Record<BadWatch, CheckName> = {
  'drops a change': 'Reliable',
  'swaps two changes': 'Reliable',
  'repeats a change under the next version': 'versions are used once',
  'tells a change as that of another version': 'versions are used once',
  'selects by old labels': 'Filtered',
  'says that it is complete before it is': 'Reliable',
};

interface Faults {
  readonly store: readonly BadStore[];
  readonly watch: readonly BadWatch[];
}

export const everyFault: Faults = {
  store: Object.keys(storeFaults) as BadStore[],
  watch: Object.keys(watchFaults) as BadWatch[],
};

/** What the checks are worth: lies of a part that they must find, and none that they must not. */
export function faultyPartsSuite(faults: Faults): void {
  describe('A part between real parts that', () => {
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

    type Limits = Partial<Pick<LoadOptions, 'operations' | 'over'>>;
    const run = async (fault: { store?: StoreFault; watch?: WatchFault }, limits: Limits = {}): Promise<Violations> => {
      faultyStore.begin(fault.store ?? 'none');
      faultyWatch.begin(fault.watch ?? 'none');
      const seed = ++runs;
      const { endpoints } = cluster;
      const options = { seed, namespace: `run-${seed}`, endpoints, operations: 250, catchUpMs: 1500 };
      return violationsOf(await runLoad({ ...options, ...limits }));
    };
    // one lie alone may hide: a stale read is none while the write that it misses is still under way
    const often = (part: { lies: number }) => ({ operations: 5000, over: () => part.lies >= 12 });

    test('only hands on is not noticed', async () => {
      assert.equal(explainViolations(await run({})), '');
    });

    test('doubles changes is not noticed: gateways see to that', async () => {
      assert.equal(explainViolations(await run({ watch: 'doubles a change' })), '');
      assert.ok(faultyWatch.lies > 0);
    });

    const found = (fault: string, broken: CheckName, given: Parameters<typeof run>[0], part: { lies: number }) =>
      test(`${fault} is found: ${broken}`, async () => {
        const violations = await run(given, often(part));
        assert.ok(part.lies > 0, 'it was to do that');
        assert.ok(violations.has(broken), `found only:\n${explainViolations(violations)}`);
      });
    for (const fault of faults.store) found(fault, storeFaults[fault], { store: fault }, faultyStore);
    for (const fault of faults.watch) found(fault, watchFaults[fault], { watch: fault }, faultyWatch);

    test('tells an old revision while changes come late is found: lists are as fresh as asked', async () => {
      const violations = await run({ store: 'tells an old revision', watch: 'brings everything late' });
      assert.ok(violations.has('lists are as fresh as asked'), `found only:\n${explainViolations(violations)}`);
    });
  });
}
