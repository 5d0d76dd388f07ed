import { type Bundle, deflateItems } from './bundles.ts';
import type { Deflated } from './deflated.ts';
import type { Deflater } from './deflater.ts';
import { Encoded, type ItemForm } from './encoded.ts';
import type { Item } from './item.ts';
import { gatherItems, joinedSize, joinItems, SEGMENT_BYTES, SEGMENT_ITEMS, type Segment } from './segment.ts';

/** The owner of nodes: only it may change them in place. */
export class Owner {
  /** this leaf belongs to a past state: the window has its items, too, and must not keep whole segments in memory */
  readonly ofPast: boolean;

  constructor(ofPast = false) {
    this.ofPast = ofPast;
  }
}

/** Most leaves never need another form. */
const NONE: ReadonlyMap<string, Encoded> = new Map();

/**
 * Consecutive items of a tree, with their bytes in the forms that readers have used.
 *
 * Invariant: these bytes are those of `items`. Only `#earlier` belongs to the past: the bundles in which the items of
 * this leaf, or of the leaf from which it was copied, were deflated last, and the same for other forms. The bundles
 * that still match are used again.
 */
export class Leaf {
  owner: Owner;
  items: Item[];
  /** the length of `joined`, also before it exists */
  bytes: number;
  #joined: Buffer | undefined;
  #deflated: Promise<Deflated> | undefined;
  #earlier: readonly Bundle[] = [];
  #encoded = NONE;
  #earlierEncoded = NONE;

  constructor(owner: Owner, items: Item[], joined?: Buffer) {
    this.owner = owner;
    this.items = items;
    this.#joined = joined;
    this.bytes = joined?.length ?? joinedSize(items, 0, items.length);
  }

  static of(owner: Owner, { items, json }: Segment): Leaf {
    return new Leaf(owner, items, json);
  }

  get count(): number {
    return this.items.length;
  }

  get first(): Item {
    return this.items[0] as Item;
  }

  /** the leaf must be split */
  get isLarge(): boolean {
    return this.items.length > SEGMENT_ITEMS || (this.bytes > SEGMENT_BYTES && this.items.length > 1);
  }

  /** where the leaf is split: into two halves of about the same size, neither of them empty */
  get middle(): number {
    let bytes = 0;
    let at = 0;
    while (at < this.items.length - 1 && bytes < this.bytes / 2) bytes += (this.items[at++] as Item).size + 1;
    return Math.max(1, at);
  }

  /** the leaf can be joined with a neighbour of its size */
  get isSmall(): boolean {
    return this.items.length <= SEGMENT_ITEMS / 4 && this.bytes <= SEGMENT_BYTES / 4;
  }

  /** The JSON of all items, each followed by a comma. It is made at the first use, and then holds the items' bytes. */
  get joined(): Buffer {
    this.#joined ??= this.owner.ofPast ? joinItems(this.items) : gatherItems(this.items);
    return this.#joined;
  }

  /** A part of `joined`. For a few items `joined` is not made. */
  joinedPart(from: number, to: number): Buffer {
    const { items } = this;
    if (this.#joined === undefined && (to - from) * 2 < items.length) return joinItems(items, from, to);
    const at = joinedSize(items, 0, from);
    return this.joined.subarray(at, at + joinedSize(items, from, to));
  }

  /** The JSON of all items, separated by commas, deflated. The leaf must never change again. */
  deflated(deflater: Deflater): Promise<Deflated> {
    this.#deflated ??= deflateItems(this.items, this.#earlier, deflater).then(
      ({ whole, bundles }) => {
        this.#earlier = bundles;
        return whole;
      },
      (error: unknown) => {
        this.#deflated = undefined;
        throw error;
      },
    );
    return this.#deflated;
  }

  /** All items in another form, one after the other. */
  encoded(form: ItemForm): Encoded {
    let encoded = this.#encoded.get(form.name);
    if (encoded === undefined) {
      encoded = Encoded.of(this.items, form, this.#earlierEncoded.get(form.name));
      this.#encoded = new Map(this.#encoded).set(form.name, encoded);
      this.#earlierEncoded = new Map(this.#earlierEncoded).set(form.name, encoded);
    }
    return encoded;
  }

  set(at: number, item: Item): void {
    this.#changed(item.size - (this.items[at] as Item).size);
    this.items[at] = item;
  }

  insert(at: number, item: Item): void {
    this.#changed(item.size + 1);
    this.items.splice(at, 0, item);
  }

  remove(at: number): void {
    this.#changed(-((this.items[at] as Item).size + 1));
    this.items.splice(at, 1);
  }

  copy(owner: Owner, from = 0, to = this.items.length): Leaf {
    const leaf = new Leaf(owner, this.items.slice(from, to));
    leaf.#earlier = this.#earlier;
    leaf.#earlierEncoded = this.#earlierEncoded;
    return leaf;
  }

  #changed(bytes: number): void {
    this.bytes += bytes;
    this.#joined = undefined;
    this.#deflated = undefined;
    this.#encoded = NONE;
  }
}
