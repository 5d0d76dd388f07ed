import { type Bundle, deflateItems } from './bundles.ts';
import type { Deflated } from './deflated.ts';
import type { Deflater } from './deflater.ts';
import type { Item } from './item.ts';
import { joinItems } from './join-items.ts';

/** Who may change a node in place. */
export class Owner {}

/** Leaves hold at most this many items, and are joined to one buffer on first read. */
export const LEAF_MAX = 128;

/**
 * Neighbouring items of a tree, with their bytes ready in the forms that were asked for.
 *
 * Invariant: the ready bytes are those of `items`. Only what `#earlier` says is of the past: the bundles in which the
 * items were deflated when that was last asked, of this leaf or of the one it was copied from; those that still hold
 * are used again.
 */
export class Leaf {
  owner: Owner;
  items: Item[];
  #joined: Buffer | undefined;
  #deflated: Promise<Deflated> | undefined;
  #earlier: readonly Bundle[] = [];

  constructor(owner: Owner, items: Item[]) {
    this.owner = owner;
    this.items = items;
  }

  get count(): number {
    return this.items.length;
  }

  get first(): Item {
    return this.items[0] as Item;
  }

  /** every item's JSON, separated by commas */
  get joined(): Buffer {
    this.#joined ??= joinItems(this.items, 0, this.items.length);
    return this.#joined;
  }

  /** `joined`, deflated. Only a leaf that will never change again may be asked. */
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

  copy(owner: Owner, from: number, to: number): Leaf {
    const leaf = new Leaf(owner, this.items.slice(from, to));
    leaf.#earlier = this.#earlier;
    return leaf;
  }

  changed(): void {
    this.#joined = undefined;
    this.#deflated = undefined;
  }
}
