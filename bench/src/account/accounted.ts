import type { Operation } from '../generator/operations.ts';

/** An operation of the account. */
export interface Accounted {
  readonly name: string;
  readonly operation: Operation;
  readonly clients: number;
  /** operations, or writes that each watcher receives */
  readonly count: number;
  /** the same before the measurement */
  readonly warm: number;
}

/** Objects of the list, and those that reads and updates choose from. */
export const OBJECTS = 10_000;

/** In order of execution. The pods of the status patches are made by the first operation, which is not in the account. */
export const accounted: readonly Accounted[] = [
  { name: 'get, 16 clients', operation: 'get', clients: 16, count: 20_000, warm: 10_000 },
  { name: 'get at version 0, 16 clients', operation: 'get-cached', clients: 16, count: 30_000, warm: 10_000 },
  { name: 'list of 10,000 in JSON', operation: 'list', clients: 1, count: 100, warm: 20 },
  { name: 'create, 64 clients', operation: 'create', clients: 64, count: 8000, warm: 4000 },
  { name: 'update, 16 clients', operation: 'update', clients: 16, count: 5000, warm: 3000 },
  { name: 'apply, 16 clients', operation: 'apply', clients: 16, count: 5000, warm: 3000 },
  { name: "patch of a pod's status, 16 clients", operation: 'patch-pod-status', clients: 16, count: 3000, warm: 3000 },
  { name: 'event to one of 100 watchers', operation: 'watch', clients: 100, count: 400, warm: 100 },
];

export const PODS = 3000;
