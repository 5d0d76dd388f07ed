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
 * Takes the next batch from the head of a queue, in order. The writes of a batch are judged all together against the
 * state before it, so none may depend on another: a write whose key the batch writes or guards already, or whose
 * guard names a key that the batch writes, is held back, and so is one that is too large for the room that is left: small
 * ones behind it need not wait for it. What is held back stays in the queue in its order, and the first is always taken.
 * A write and those that are joined to it are one: they may guard each other's keys.
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
      // a long run of writes to one key must not make each batch walk the whole queue
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

/** What it takes for itself: who asks in the same batch whether it is free would not see it. */
function claimsOf({ claims }: Write): string[] {
  return claims?.map((claim) => marksOf({ resource: '', namespace: '', name: claim })[0]) ?? [];
}

/** What a write touches: its key, and the set of all keys of its namespace. */
function marksOf(key: Key): [string, string] {
  return [`${key.resource}\0${key.namespace}\0${key.name}`, `\0${key.namespace}`];
}

function demandOf(guard: Guard): string {
  return guard.kind === guardKind.namespaceEmpty ? `\0${guard.key.name}` : marksOf(guard.key)[0];
}
