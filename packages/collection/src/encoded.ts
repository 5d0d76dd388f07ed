import type { Item } from './item.ts';

/** A form of items other than JSON. The same name must always mean the same bytes. */
export interface ItemForm {
  readonly name: string;
  encode(item: Item): Buffer;
}

/**
 * Consecutive items in another form, in one buffer.
 *
 * For example three items of 10, 20 and 5 bytes: ends are 10, 30 and 35.
 */
export class Encoded {
  readonly bytes: Buffer;
  readonly #revisions: readonly number[];
  readonly #ends: readonly number[];

  constructor(bytes: Buffer, revisions: readonly number[], ends: readonly number[]) {
    this.bytes = bytes;
    this.#revisions = revisions;
    this.#ends = ends;
  }

  /** Items that were encoded earlier are not encoded again: each revision belongs to one state only. */
  static of(items: readonly Item[], form: ItemForm, earlier?: Encoded): Encoded {
    const known = earlier?.places();
    const parts = items.map((item) => {
      const place = known?.get(item.revision);
      return place === undefined ? form.encode(item) : (earlier as Encoded).at(place);
    });
    let end = 0;
    const ends = parts.map((part) => {
      end += part.length;
      return end;
    });
    const revisions = items.map((item) => item.revision);
    return new Encoded(Buffer.concat(parts, end), revisions, ends);
  }

  at(place: number): Buffer {
    return this.slice(place, place + 1);
  }

  slice(from: number, to: number): Buffer {
    const start = from === 0 ? 0 : (this.#ends[from - 1] as number);
    return this.bytes.subarray(start, to === 0 ? 0 : (this.#ends[to - 1] as number));
  }

  places(): Map<number, number> {
    return new Map(this.#revisions.map((revision, place) => [revision, place]));
  }
}
