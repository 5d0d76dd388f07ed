import type { Revision } from '@tidegate/revision';
import { Item, type ItemHead, type ItemParts, splicedSize, spliceInto } from './item.ts';
import { copyListed, savedBytes, typeHeadOf } from './type-head.ts';

const COMMA = 0x2c;

/** A segment ends at this number of items, or of bytes. */
export const SEGMENT_ITEMS = 128;
export const SEGMENT_BYTES = 256 << 10;

/**
 * Consecutive items of a collection in one buffer: their JSON, each followed by a comma. The items' own bytes are
 * parts of it.
 */
export interface Segment {
  readonly items: Item[];
  readonly json: Buffer;
}

/** An item without its bytes, as services send it. */
interface SentHead extends Omit<ItemHead, 'revision'> {
  readonly revision: number;
  readonly size: number;
}

/** Makes segments from stored states in key order. */
export class SegmentBuilder {
  readonly segments: Segment[] = [];
  #parts: ItemParts[] = [];
  #bytes = 0;

  add(parts: ItemParts): void {
    const size = splicedSize(parts.value, parts.revision) + 1;
    if (this.#parts.length === SEGMENT_ITEMS || (this.#bytes + size > SEGMENT_BYTES && this.#bytes > 0)) this.#end();
    this.#parts.push(parts);
    this.#bytes += size;
  }

  /** Ends the last segment. */
  finish(): Segment[] {
    this.#end();
    return this.segments;
  }

  #end(): void {
    if (this.#parts.length === 0) return;
    const json = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    const items = this.#parts.map((parts) => {
      const end = spliceInto(json, at, parts);
      const item = new Item(parts, json, { at, size: end - at });
      json[end] = COMMA;
      at = end + 1;
      return item;
    });
    this.segments.push({ items, json });
    this.#parts = [];
    this.#bytes = 0;
  }
}

/**
 * Makes a segment from a message of another service: the heads of the items, and the bytes of all of them. typeless:
 * the items of lists have no apiVersion and kind, which the received bytes still have.
 */
export function segmentOf(json: Buffer, heads: Iterable<SentHead>, typeless = false): Segment {
  const sent = [...heads];
  if (typeless) return typelessSegment(json, sent);
  let at = 0;
  const items = sent.map((head) => {
    const item = new Item(head as SentHead & { revision: Revision }, json, { at, size: head.size });
    at += head.size + 1;
    return item;
  });
  return { items, json };
}

/** Removes the types from the bytes in place; nothing else uses these bytes. */
function typelessSegment(source: Buffer, heads: readonly SentHead[]): Segment {
  let [from, to] = [0, 0];
  const places = heads.map((head) => {
    const typeHead = typeHeadOf(source, from);
    const size = copyListed({ bytes: source, at: from, size: head.size, head: typeHead }, source, to) - to;
    const place = { at: to, size, typeHead };
    from += head.size + 1;
    to += size;
    source[to++] = COMMA;
    return place;
  });
  const json = source.subarray(0, to);
  const items = heads.map(
    (head, i) => new Item(head as SentHead & { revision: Revision }, json, places[i] as (typeof places)[number]),
  );
  return { items, json };
}

/** Joined objects, each followed by a comma, without apiVersion and kind. */
export function listedOf(source: Buffer, sizes: readonly number[]): Buffer {
  const places: Parameters<typeof copyListed>[0][] = [];
  let [at, bytes] = [0, 0];
  for (const size of sizes) {
    const head = typeHeadOf(source, at);
    places.push({ bytes: source, at, size, head });
    at += size + 1;
    bytes += size + 1 - savedBytes(head);
  }
  const json = Buffer.allocUnsafeSlow(bytes);
  let to = 0;
  for (const place of places) {
    to = copyListed(place, json, to);
    json[to++] = COMMA;
  }
  return json;
}

/** The items' JSON, each followed by a comma. The items keep their own bytes. */
export function joinItems(items: readonly Item[], from = 0, to = items.length): Buffer {
  const json = Buffer.allocUnsafeSlow(joinedSize(items, from, to));
  let at = 0;
  for (let i = from; i < to; i++) {
    const item = items[i] as Item;
    item.copyTo(json, at);
    at += item.size;
    json[at++] = COMMA;
  }
  return json;
}

/** The same, and the items' bytes become parts of it. */
export function gatherItems(items: readonly Item[]): Buffer {
  const json = Buffer.allocUnsafeSlow(joinedSize(items, 0, items.length));
  let at = 0;
  for (const item of items) {
    item.moveTo(json, at);
    at += item.size;
    json[at++] = COMMA;
  }
  return json;
}

/** The length of the items, with a comma after each. */
export function joinedSize(items: readonly Item[], from: number, to: number): number {
  let bytes = to - from;
  for (let i = from; i < to; i++) bytes += (items[i] as Item).size;
  return bytes;
}

/** Without the last comma. */
export function withoutComma(json: Buffer): Buffer {
  return json.subarray(0, Math.max(0, json.length - 1));
}
