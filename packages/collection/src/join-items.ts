import type { Item } from './item.ts';

const COMMA = Buffer.from(',');

/** The items' JSON, separated by commas. */
export function joinItems(items: readonly Item[], from: number, to: number): Buffer {
  const parts: Buffer[] = [];
  for (let i = from; i < to; i++) {
    if (i > from) parts.push(COMMA);
    parts.push((items[i] as Item).json);
  }
  return Buffer.concat(parts);
}
