import assert from 'node:assert/strict';
import type { Registry } from '@tidegate/kinds';
import { type Collection, largeObject, type Variant } from '@tidegate/kinds/testing';
import { InProcessWrites } from './in-process-writes.ts';

/** The ways of writing an object; patches by their language. */
export const METHODS = ['create', 'update', 'json', 'merge', 'strategic', 'apply'] as const;
export type Method = (typeof METHODS)[number];

/** The maximum cost ratio for twice as many items: quadratic growth would give four. */
const MAX_RATIO = 2.5;
/** Below this time for the bytes of an object a measurement is meaningless because of garbage collection. */
const BYTES_PER_MS = 3000;
const ATTEMPTS = 6;

/** All pairs of collections that can both be in one object, beside each other or at different depths. */
export function pairsOf(collections: readonly Collection[]): Array<readonly [Collection, Collection]> {
  const byHolder = Map.groupBy(collections, ({ kind, path }) => `${kind.storedAs}/${path.slice(0, -1).join('.')}`);
  return collections.flatMap((one) => {
    const holders = one.path.map((_, depth) => `${one.kind.storedAs}/${one.path.slice(0, depth).join('.')}`);
    const others = holders.flatMap((holder) => byHolder.get(holder) ?? []);
    return others.filter((other) => other !== one).map((other) => [one, other] as const);
  });
}

interface Measured {
  readonly registry: Registry;
  readonly collections: readonly Collection[];
  readonly variant: Variant;
  /** the size of the larger object */
  readonly bytes: number;
}

/** The number of doublings that are measured if a single one is unclear. */
const DOUBLINGS = 3;

/**
 * Fails if twice as many items cost more than 2.5 times as much. A single doubling near that limit may only show that
 * the larger object no longer fits the processor's caches; three doublings distinguish this from quadratic growth.
 */
export function assertLinear(
  { registry, collections, variant, bytes }: Measured,
  methods: readonly Method[] = METHODS,
): void {
  const [{ kind, path }] = collections as readonly [Collection];
  const sizeOf = (count: number) => JSON.stringify(largeObject(collections, variant, count)).length;
  const most = 2 * Math.max(8, Math.floor(bytes / ((sizeOf(200) - sizeOf(100)) / 100) / 2));
  const writesOf = (count: number) => new InProcessWrites(registry, kind, largeObject(collections, variant, count));
  const [half, whole] = [writesOf(most / 2), writesOf(most)];
  const leastMs = bytes / BYTES_PER_MS;
  for (const method of methods) {
    const once = costs(method, half, whole, { times: MAX_RATIO, leastMs });
    if (once.isLinear) continue;
    const eighth = writesOf(Math.ceil(most / 2 ** DOUBLINGS));
    const { isLinear, small, large } = costs(method, eighth, whole, { times: MAX_RATIO ** DOUBLINGS, leastMs });
    const names = collections.map((other) => other.path.join('.')).join(' and ');
    assert.ok(
      isLinear,
      `${method} of ${kind.entry.kind} with ${variant} ${names || path.join('.')}: ${most} items take ${large.toFixed()} ms, half of them ${once.small.toFixed()} ms, an eighth ${small.toFixed()} ms`,
    );
  }
}

/** The minimum CPU times of two writes, and whether the larger one took at most `times` as long. */
function costs(
  method: Method,
  small: InProcessWrites,
  large: InProcessWrites,
  { times, leastMs }: { times: number; leastMs: number },
) {
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let isLinear = false;
  for (let attempt = 0; attempt < ATTEMPTS && !isLinear; attempt++) {
    [one, two] = [Math.min(one, cpuMs(small, method)), Math.min(two, cpuMs(large, method))];
    isLinear = two <= Math.max(times * one, leastMs);
  }
  return { isLinear, small: one, large: two };
}

/** The CPU time of this thread, independent of other load on the machine. */
function cpuMs(writes: InProcessWrites, method: Method): number {
  const before = process.threadCpuUsage();
  if (method === 'create' || method === 'update' || method === 'apply') writes[method]();
  else writes.patch(method);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
