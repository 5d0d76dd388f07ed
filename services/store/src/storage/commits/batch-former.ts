import { type Guard, guardKind, type Key, type Write } from '@tidegate/wire';

interface Limits {
  writes: number;
  bytes: number;
}

export interface Sized {
  readonly write: Write;
  readonly bytes: number;
}

/**
 * Takes the next batch from the head of a queue, in order. All writes of a batch are checked against the state before the
 * batch, so no write may depend on another. A write stays in the queue when the batch already writes or guards its key,
 * when the batch writes a key of its guards, or when it exceeds the remaining size; smaller writes behind it need not
 * wait. The writes that stay keep their order, and the first write is always taken. A write and its joined writes count
 * as one: they may guard each other's keys.
 */
export function formBatch<T extends Sized>(queue: readonly T[], limits: Limits): { batch: T[]; rest: T[] } {
  const batch: T[] = [];
  const rest: T[] = [];
  const written = new Set<string>();
  const guarded = new Set<string>();
  let bytes = 0;
  let at = 0;
  for (; at < queue.length && batch.length < limits.writes; at++) {
    const item = queue[at] as T;
    const { joined } = item.write;
    const writes = joined?.length ? [item.write, ...joined] : [item.write];
    const own = writes.map(({ key }) => marksOf(key)[0]);
    const marks = writes.flatMap((write) => [...marksOf(write.key), ...claimsOf(write)]);
    const demands = writes.flatMap(({ guards }) => (guards ?? []).map(demandOf));
    const depends =
      marks.some((mark) => guarded.has(mark)) ||
      own.some((mark) => written.has(mark)) ||
      demands.some((mark) => written.has(mark));
    if (depends || (batch.length > 0 && bytes + item.bytes > limits.bytes)) {
      rest.push(item);
      // many writes to one key must not make each batch search the whole queue
      if (rest.length >= 2 * limits.writes) {
        at++;
        break;
      }
      continue;
    }
    for (const mark of marks) written.add(mark);
    for (const mark of own) guarded.add(mark);
    for (const demand of demands) guarded.add(demand);
    batch.push(item);
    bytes += item.bytes;
  }
  for (; at < queue.length; at++) rest.push(queue[at] as T);
  return { batch, rest };
}

/** The write's claims. Another write of the same batch that checks whether a claim is free would not see them. */
function claimsOf({ claims }: Write): string[] {
  return claims?.map((claim) => marksOf({ resource: '', namespace: '', name: claim })[0]) ?? [];
}

/** The marks of a write: its key, and the set of all keys of its namespace. */
function marksOf(key: Key): [string, string] {
  return [`${key.resource}\0${key.namespace}\0${key.name}`, `\0${key.namespace}`];
}

function demandOf(guard: Guard): string {
  return guard.kind === guardKind.namespaceEmpty ? `\0${guard.key.name}` : marksOf(guard.key)[0];
}
