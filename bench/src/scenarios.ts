import type { Operation } from './generator/operations.ts';

/** One line of the results. */
export interface Scenario {
  name: string;
  operation: Operation;
  clients: number;
  /** operations at full scale */
  count: number;
  /** concurrent random updates a second by a second generator */
  writes?: number;
  /** the number of uncounted warm-up operations; none for a cold scenario */
  warm?: number;
}

const WRITES = 500;
const PODS = 3000;

/** In order of execution: the other scenarios use the objects of the creations, which are 10,000 at full scale. */
export const scenarios: readonly Scenario[] = [
  { name: 'create, 1 client', operation: 'create', clients: 1, count: 500 },
  { name: 'create, 16 clients', operation: 'create', clients: 16, count: 2000 },
  { name: 'create, 32 clients', operation: 'create', clients: 32, count: 2500 },
  { name: 'create, 64 clients', operation: 'create', clients: 64, count: 2500 },
  { name: 'create, 128 clients', operation: 'create', clients: 128, count: 2500 },
  { name: 'list all, cold', operation: 'list', clients: 1, count: 1 },
  { name: 'list all, 1 client', operation: 'list', clients: 1, count: 20, warm: 1 },
  { name: 'list all, 4 clients', operation: 'list', clients: 4, count: 24, warm: 1 },
  { name: 'list all, 1 client, 500 writes/s', operation: 'list', clients: 1, count: 20, writes: WRITES },
  { name: 'list in pages of 500', operation: 'list-pages', clients: 1, count: 8 },
  { name: 'get, 1 client', operation: 'get', clients: 1, count: 4000, warm: 200 },
  { name: 'get, 16 clients', operation: 'get', clients: 16, count: 20_000, warm: 500 },
  { name: 'get, 32 clients', operation: 'get', clients: 32, count: 20_000, warm: 500 },
  { name: 'get, 64 clients', operation: 'get', clients: 64, count: 20_000, warm: 500 },
  { name: 'get, 128 clients', operation: 'get', clients: 128, count: 20_000, warm: 500 },
  { name: 'get, 16 clients, 500 writes/s', operation: 'get', clients: 16, count: 10_000, writes: WRITES },
  { name: 'get at version 0, 16 clients', operation: 'get-cached', clients: 16, count: 20_000, warm: 500 },
  { name: 'update, 16 clients', operation: 'update', clients: 16, count: 5000 },
  { name: 'merge patch, 16 clients', operation: 'patch', clients: 16, count: 5000 },
  { name: 'merge patch, 64 clients', operation: 'patch', clients: 64, count: 5000 },
  { name: 'apply, 16 clients', operation: 'apply', clients: 16, count: 5000 },
  { name: 'apply, 64 clients', operation: 'apply', clients: 64, count: 5000 },
  { name: 'watch, 100 watchers', operation: 'watch', clients: 100, count: 500 },
  { name: 'watch, 1000 watchers', operation: 'watch', clients: 1000, count: 100 },
  { name: 'delete, 16 clients', operation: 'delete', clients: 16, count: 5000 },
  // most writes of a cluster; the first four concern the same pods, so their numbers are equal
  { name: 'create pod, 16 clients', operation: 'create-pod', clients: 16, count: PODS },
  { name: 'bind pod, 16 clients', operation: 'bind-pod', clients: 16, count: PODS },
  { name: "patch a pod's status, 16 clients", operation: 'patch-pod-status', clients: 16, count: PODS },
  { name: 'delete pod, 16 clients', operation: 'delete-pod', clients: 16, count: PODS },
  { name: 'renew lease, 16 clients', operation: 'renew-lease', clients: 16, count: 5000 },
  { name: 'create event, 16 clients', operation: 'create-event', clients: 16, count: 5000 },
];
