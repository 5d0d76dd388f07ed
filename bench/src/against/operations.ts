import type { Operation } from '../generator/operations.ts';

/** An operation whose costs are compared. */
export interface Guarded {
  readonly name: string;
  readonly operation: Operation;
  /** operations in one turn: about a tenth of a second */
  readonly count: number;
  /** turns in a round: the more, the more certain is its ratio */
  readonly turns?: number;
  /** the operation that makes the objects for this one, in the same round */
  readonly after?: string;
  /** also in the short form: its costs vary least from turn to turn */
  readonly isShort?: true;
}

/** Each client has a connection of its own, and sends its next request after an answer. */
export const CLIENTS = 16;
/** the objects that reads and updates choose from */
export const OBJECTS = 500;

/** In the order in which they run in each round. */
export const guarded: readonly Guarded[] = [
  { name: 'get', operation: 'get', count: 400, turns: 2, isShort: true },
  { name: 'get at version 0', operation: 'get-cached', count: 600, turns: 4, isShort: true },
  { name: 'list of 500, Protobuf', operation: 'list-protobuf', count: 20 },
  { name: 'update', operation: 'update', count: 150, turns: 2, isShort: true },
  { name: 'merge patch', operation: 'patch', count: 150 },
  { name: 'apply', operation: 'apply', count: 150 },
  { name: 'create', operation: 'create', count: 150 },
  { name: 'delete', operation: 'delete', count: 150, after: 'create' },
  { name: 'create pod', operation: 'create-pod', count: 100, isShort: true },
  { name: 'bind pod', operation: 'bind-pod', count: 100, after: 'create pod' },
  { name: "patch a pod's status", operation: 'patch-pod-status', count: 100, after: 'create pod', isShort: true },
  { name: 'delete pod', operation: 'delete-pod', count: 100, after: 'create pod' },
  { name: 'renew lease', operation: 'renew-lease', count: 150 },
  { name: 'create event', operation: 'create-event', count: 150 },
];

/** The operations whose names match, and those that make their objects. */
export function selected(only: string, isShort: boolean): Guarded[] {
  const pattern = new RegExp(only);
  const wanted = new Set(guarded.filter((one) => pattern.test(one.name) && (!isShort || one.isShort)));
  for (const one of guarded.toReversed()) {
    if (!wanted.has(one)) continue;
    for (const needed of guarded) if (needed.name === one.after) wanted.add(needed);
  }
  return guarded.filter((one) => wanted.has(one));
}
