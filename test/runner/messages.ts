import type { TimeSpent } from '@tidegate/testkit';
import type { Skipped } from './skipped.ts';

/** A message from the run to a lane. */
export type ToLane = { readonly kind: 'run'; readonly file: string } | { readonly kind: 'end' };

/** The CPU time of a process, and of its child processes that have ended. */
export interface CpuTime {
  readonly ownMs: number;
  readonly childrenMs: number;
}

/** The cost of one file. */
export interface Cost {
  readonly wallMs: number;
  readonly cpu: CpuTime;
  readonly spent: Readonly<Record<string, TimeSpent>>;
}

/** A message from a lane to the run. */
export type FromLane =
  | { readonly kind: 'ready' }
  | { readonly kind: 'passed'; readonly name: string; readonly isGroup: boolean }
  | ({ readonly kind: 'skipped' } & Skipped)
  | { readonly kind: 'failed'; readonly name: string; readonly error: string }
  | { readonly kind: 'done'; readonly cost: Cost };
