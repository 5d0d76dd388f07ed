import type { Spent } from '@tidegate/testkit';
import type { Skipped } from './skipped.ts';

/** What the run tells a lane. */
export type ToLane = { readonly kind: 'run'; readonly file: string } | { readonly kind: 'end' };

/** Processor time of a process, and of those that it started and that have ended. */
export interface CpuTime {
  readonly ownMs: number;
  readonly childrenMs: number;
}

/** What one file has taken. */
export interface Cost {
  readonly wallMs: number;
  readonly cpu: CpuTime;
  readonly spent: Readonly<Record<string, Spent>>;
}

/** What a lane tells the run. */
export type FromLane =
  | { readonly kind: 'ready' }
  | { readonly kind: 'passed'; readonly name: string }
  | ({ readonly kind: 'skipped' } & Skipped)
  | { readonly kind: 'failed'; readonly name: string; readonly error: string }
  | { readonly kind: 'done'; readonly cost: Cost };
