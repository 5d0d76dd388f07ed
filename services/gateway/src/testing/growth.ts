import assert from 'node:assert/strict';
import type { Registry } from '@tidegate/kinds';
import { type Collection, largeObject, type Variant } from '@tidegate/kinds/testing';
import { InProcessWrites } from './in-process-writes.ts';

/** The ways in which an object is written; those of a patch by its language. */
export const WAYS = ['create', 'update', 'json', 'merge', 'strategic', 'apply'] as const;
export type Way = (typeof WAYS)[number];

/** Twice as many items may cost so many times as much: what grows with the square costs four times as much. */
const MOST_TIMES = 2.5;
/** Below so many milliseconds for the bytes of an object a measurement says nothing: garbage is collected when it pleases. */
const BYTES_PER_MS = 3000;
const ATTEMPTS = 6;

/** Each two collections that can stand in one object side by side, or one beside what holds the other. */
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
  /** of the larger object */
  readonly bytes: number;
}

/** How many doublings are measured where one of them is not clear. */
const DOUBLINGS = 3;

/**
 * Fails where twice as many items cost more than 2.5 times as much. One doubling near that limit may only show that the
 * larger object no longer fits the processor's caches; three of them tell this apart from a cost that grows with the square.
 */
export function assertLinear({ registry, collections, variant, bytes }: Measured, ways: readonly Way[] = WAYS): void {
  const [{ kind, path }] = collections as readonly [Collection];
  const sizeOf = (count: number) => JSON.stringify(largeObject(collections, variant, count)).length;
  const most = 2 * Math.max(8, Math.floor(bytes / ((sizeOf(200) - sizeOf(100)) / 100) / 2));
  const writesOf = (count: number) => new InProcessWrites(registry, kind, largeObject(collections, variant, count));
  const [half, whole] = [writesOf(most / 2), writesOf(most)];
  const leastMs = bytes / BYTES_PER_MS;
  for (const way of ways) {
    const once = costs(way, half, whole, { times: MOST_TIMES, leastMs });
    if (once.isLinear) continue;
    const eighth = writesOf(Math.ceil(most / 2 ** DOUBLINGS));
    const { isLinear, small, large } = costs(way, eighth, whole, { times: MOST_TIMES ** DOUBLINGS, leastMs });
    const names = collections.map((other) => other.path.join('.')).join(' and ');
    assert.ok(
      isLinear,
      `${way} of ${kind.entry.kind} with ${variant} ${names || path.join('.')}: ${most} items take ${large.toFixed()} ms, half of them ${once.small.toFixed()} ms, an eighth ${small.toFixed()} ms`,
    );
  }
}

/** The least CPU time that each of two writes took, and whether the larger one took at most so many times as much. */
function costs(
  way: Way,
  small: InProcessWrites,
  large: InProcessWrites,
  { times, leastMs }: { times: number; leastMs: number },
) {
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let isLinear = false;
  for (let attempt = 0; attempt < ATTEMPTS && !isLinear; attempt++) {
    [one, two] = [Math.min(one, cpuMs(small, way)), Math.min(two, cpuMs(large, way))];
    isLinear = two <= Math.max(times * one, leastMs);
  }
  return { isLinear, small: one, large: two };
}

/** Of this thread alone: others on the machine do not count. */
function cpuMs(writes: InProcessWrites, way: Way): number {
  const before = process.threadCpuUsage();
  if (way === 'create' || way === 'update' || way === 'apply') writes[way]();
  else writes.patch(way);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
