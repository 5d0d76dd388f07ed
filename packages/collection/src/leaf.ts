import { type Bundle, deflateItems } from './bundles.ts';
import type { Deflated } from './deflated.ts';
import type { Deflater } from './deflater.ts';
import { Encoded, type ItemForm } from './encoded.ts';
import type { Item } from './item.ts';
import { gatherItems, joinedSize, joinItems, SEGMENT_BYTES, SEGMENT_ITEMS, type Segment } from './segment.ts';

/** Who may change a node in place. */
export class Owner {
  /** of a state that is past: its items also stand in the window, which must not keep whole segments alive */
  readonly ofPast: boolean;

  constructor(ofPast = false) {
    this.ofPast = ofPast;
  }
}

/** Most leaves are never asked for another form. */
const NONE: ReadonlyMap<string, Encoded> = new Map();

/**
 * Neighbouring items of a tree, with their bytes ready in the forms that were asked for.
 *
 * Invariant: the ready bytes are those of `items`. Only what `#earlier` says is of the past: the bundles in which the
 * items were deflated when that was last asked, of this leaf or of the one it was copied from, and the same of other
 * forms; those that still hold are used again.
 */
export class Leaf {
  owner: Owner;
  items: Item[];
  /** how long `joined` is, whether it was asked for or not */
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

  /** it has to be split */
  get isLarge(): boolean {
    return this.items.length > SEGMENT_ITEMS || (this.bytes > SEGMENT_BYTES && this.items.length > 1);
  }

  /** where it is split: both halves get something, and about the same */
  get middle(): number {
    let bytes = 0;
    let at = 0;
    while (at < this.items.length - 1 && bytes < this.bytes / 2) bytes += (this.items[at++] as Item).size + 1;
    return Math.max(1, at);
  }

  /** it can be joined with a neighbour as small */
  get isSmall(): boolean {
    return this.items.length <= SEGMENT_ITEMS / 4 && this.bytes <= SEGMENT_BYTES / 4;
  }

  /** Every item's JSON, each followed by a comma: made on first demand, and then the place of the items' bytes. */
  get joined(): Buffer {
    this.#joined ??= this.owner.ofPast ? joinItems(this.items) : gatherItems(this.items);
    return this.#joined;
  }

  /** A part of `joined`; where only a few are asked for, the others are left alone. */
  joinedPart(from: number, to: number): Buffer {
    const { items } = this;
    if (this.#joined === undefined && (to - from) * 2 < items.length) return joinItems(items, from, to);
    const at = joinedSize(items, 0, from);
    return this.joined.subarray(at, at + joinedSize(items, from, to));
  }

  /** Every item's JSON, separated by commas, deflated. Only a leaf that will never change again may be asked. */
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

  /** Every item in another form, one behind the other. */
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
