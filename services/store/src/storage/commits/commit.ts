import { type OutcomeKind, outcomeKind, type Write, type WriteOutcome } from '@tidegate/wire';
import type { Sealed } from '../../encryption/vault.ts';

/** A write with its content in the stored form. */
export interface SealedWrite {
  readonly write: Write;
  readonly sealed: Sealed;
}

/** The result of a commit call. */
export interface Commit {
  readonly epoch: number;
  /** the revision before the batch's first, and its last: equal when nothing was committed */
  readonly after: number;
  readonly last: number;
  /** by write */
  readonly outcomes: readonly WriteOutcome[];
  /** by write: the state that it replaced; undefined where this call did not commit the write */
  readonly replaced: ReadonlyArray<Replaced | undefined>;
}

export interface Replaced {
  /** 0 for a create */
  readonly revision: number;
  readonly uid: string;
}

export const CREATED: Replaced = { revision: 0, uid: '' };

/** the functions' code for a write that was executed before; its recorded revision is the answer */
export const RECORDED = 100;

export function outcome(kind: OutcomeKind, fields: Partial<WriteOutcome> = {}): WriteOutcome {
  return { kind, revision: 0, currentUid: '', guard: 0, deleting: false, message: '', ...fields };
}

export function committed(revision: number): WriteOutcome {
  return { kind: outcomeKind.committed, revision, currentUid: '', guard: 0, deleting: false, message: '' };
}
