/**
 * The beginning of an object's bytes that a list of its kind has once for all items: for example
 * `{"kind":"ConfigMap","apiVersion":"v1",` of `{"kind":"ConfigMap","apiVersion":"v1","metadata":{…},…}`. In a list
 * the object is `{"metadata":{…},…}`.
 */
export type TypeHead = Buffer;

/** The head of an object whose bytes are the same inside and outside of lists. */
export const NO_HEAD: TypeHead = Buffer.alloc(0);

const BEGIN = Buffer.from('{"kind":"');
const NEXT = Buffer.from('"metadata":{');
/** Longer than the names of kinds and groups. */
const MAX_BYTES = 700;

/** Consecutive objects have one kind, so that the next head is mostly this one. */
let last: TypeHead = NO_HEAD;

/** The head of the object at an offset. Objects of one kind share one head. */
export function typeHeadOf(bytes: Uint8Array, at = 0): TypeHead {
  if (last !== NO_HEAD && startsWith(bytes, at, last)) return last;
  if (!startsWith(bytes, at, BEGIN)) return NO_HEAD;
  const begin = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(MAX_BYTES, bytes.length - at));
  const end = begin.indexOf(NEXT);
  if (end < 0) return NO_HEAD;
  last = Buffer.from(begin.subarray(0, end));
  return last;
}

function startsWith(bytes: Uint8Array, at: number, head: Uint8Array): boolean {
  if (bytes.length - at < head.length) return false;
  for (let i = 0; i < head.length; i++) if (bytes[at + i] !== head[i]) return false;
  return true;
}

const OPEN = 0x7b;

/** The number of bytes by which the object is shorter in a list. */
export function savedBytes(head: TypeHead): number {
  return head.length === 0 ? 0 : head.length - 1;
}

interface Source {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly size: number;
  readonly head: TypeHead;
}

/** Copies an object without its head; source and target may overlap. Returns the end offset. */
export function copyListed({ bytes, at, size, head }: Source, target: Buffer, to: number): number {
  const saved = savedBytes(head);
  if (bytes === target) target.copyWithin(to, at + saved, at + size);
  else target.set(bytes.subarray(at + saved, at + size), to);
  if (saved > 0) target[to] = OPEN;
  return to + size - saved;
}
