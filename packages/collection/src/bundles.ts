import { type Deflated, joinDeflated, stored } from './deflated.ts';
import type { Deflater } from './deflater.ts';
import type { Item } from './item.ts';
import { joinItems, withoutComma } from './segment.ts';

/** Neighbouring items that are deflated together. */
export interface Bundle {
  /**
   * the revisions of the items: each revision belongs to one state only, so these numbers identify the states in the
   * bundle
   */
  readonly revisions: readonly number[];
  readonly deflated: Deflated;
}

/** A bundle is not smaller than this, except the last one: small texts deflate badly. */
const MIN_BYTES = 12 << 10;
/** A bundle is not much larger than this: a change of one item costs its whole bundle. */
const MAX_BYTES = 64 << 10;
/** Between these sizes, one name in five ends a bundle. */
const END_ONE_IN = 5;

const COMMA = stored(Buffer.from(','));

/**
 * Deflates the items, separated by commas, in bundles. Bundles that were deflated earlier are used again.
 *
 * The names of items decide where a bundle ends, not the number of items: when an item is added or removed, the
 * bundles after it stay the same. For example (an end after every name with a 7) d7 e f7 g h7 are the bundles [d7]
 * [e f7] [g h7]; with a new e2 they are [d7] [e e2 f7] [g h7], and two of the three exist already.
 */
export async function deflateItems(
  items: readonly Item[],
  earlier: readonly Bundle[],
  deflater: Deflater,
): Promise<{ whole: Deflated; bundles: Bundle[] }> {
  const known = new Map(earlier.map((bundle) => [bundle.revisions[0], bundle]));
  const bundles: Bundle[] = [];
  for (let from = 0; from < items.length; ) {
    const to = endOfBundle(items, from);
    const existing = known.get((items[from] as Item).revision);
    if (existing !== undefined && holds(existing, items, from, to)) bundles.push(existing);
    else {
      const revisions = items.slice(from, to).map((item) => item.revision);
      bundles.push({ revisions, deflated: await deflater.deflate(withoutComma(joinItems(items, from, to))) });
    }
    from = to;
  }
  const row = bundles.flatMap(({ deflated }, i) => (i === 0 ? [deflated] : [COMMA, deflated]));
  return shared(joinDeflated(row), bundles);
}

/** Makes the bundles views of the whole text, so that their bytes are in memory once. */
function shared(whole: Deflated, bundles: readonly Bundle[]): { whole: Deflated; bundles: Bundle[] } {
  let at = 0;
  const views = bundles.map(({ revisions, deflated }) => {
    const bytes = whole.bytes.subarray(at, at + deflated.bytes.length);
    at += deflated.bytes.length + COMMA.bytes.length;
    return { revisions, deflated: { ...deflated, bytes } };
  });
  return { whole, bundles: views };
}

function endOfBundle(items: readonly Item[], from: number): number {
  let bytes = 0;
  for (let i = from; i < items.length; i++) {
    const { size, name } = items[i] as Item;
    bytes += size;
    if (bytes >= MAX_BYTES || (bytes >= MIN_BYTES && endsBundle(name))) return i + 1;
  }
  return items.length;
}

/** FNV-1a of the name, so that similar names have different hashes. */
function endsBundle(name: string): boolean {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % END_ONE_IN === 0;
}

function holds({ revisions }: Bundle, items: readonly Item[], from: number, to: number): boolean {
  return revisions.length === to - from && revisions.every((revision, i) => revision === items[from + i]?.revision);
}
