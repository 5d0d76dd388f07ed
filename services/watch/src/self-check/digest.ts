import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item, Position, Snapshot } from '@tidegate/collection';
import type { CollectionDigest } from '@tidegate/wire';

const LOW = 2 ** 26;

interface Marked extends Position {
  readonly revision: number;
}

/**
 * A digest of the keys and revisions of all objects: equal states have equal digests, and different states almost never
 * have. Marks have 52 bits, which are added in two halves so that the sums stay exact.
 */
export async function digestOf(
  resource: string,
  snapshot: Snapshot,
  corrupt: Iterable<Marked> = [],
): Promise<CollectionDigest> {
  const digest = { resource, count: 0, lowSum: 0, highSum: 0, lowXor: 0, highXor: 0 };
  const add = ({ namespace, name, revision }: Marked) => {
    const mark = Number.parseInt(hash('md5', `${namespace}/${name}@${revision}`).slice(0, 13), 16);
    const low = mark % LOW;
    const high = (mark - low) / LOW;
    digest.count++;
    digest.lowSum += low;
    digest.highSum += high;
    digest.lowXor ^= low;
    digest.highXor ^= high;
  };
  let count = 0;
  for (const run of snapshot.runs()) {
    for (let i = run.from; i < run.to; i++) add(run.items[i] as Item);
    count += run.to - run.from;
    if (count < 2000) continue;
    count = 0;
    await nextTurn();
  }
  for (const object of corrupt) add(object);
  return digest;
}

export function areEqual(a: CollectionDigest, b: CollectionDigest): boolean {
  return (
    a.count === b.count &&
    a.lowSum === b.lowSum &&
    a.highSum === b.highSum &&
    a.lowXor === b.lowXor &&
    a.highXor === b.highXor
  );
}
