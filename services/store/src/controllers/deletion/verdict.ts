import { FOREGROUND, ORPHAN, type OwnerReference, type Propagation } from '@tidegate/kinds';
import type { DependentsState } from '../port.ts';

/** What the collector has read of a suspect. */
export interface Subject {
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerReference[];
}

/**
 * The state of an owner, looked up by its key and its uid:
 *
 *   exists       it exists, and does not wait for its dependents
 *   waits        it is being deleted, and waits until its dependents are gone
 *   absent       no such object exists, or one of that name with another uid
 *   unknown      its kind is not served: whether it exists is unknown
 *   unreachable  its kind is namespaced and the dependent has no namespace: whether it exists is unknown
 */
export type OwnerState = 'exists' | 'waits' | 'absent' | 'unknown' | 'unreachable';

/**
 *   settled      the object stays as it is
 *   undecidable  the state of an owner is unknown: the object is left alone
 *   delete       it has no owner any more
 *   detach       it still has owners: the references to the others are removed
 *   unblock      it is in a circle of objects that wait for each other: its owners no longer wait for it
 *   orphan       its dependents stay: their references to it are removed, then it is released
 *   wait         its dependents are deleted before it
 *   release      only its finalizer is left to remove
 */
export type Verdict =
  | { readonly kind: 'settled' | 'orphan' | 'wait' }
  | { readonly kind: 'undecidable'; readonly why: 'unknown' | 'unreachable'; readonly owner: OwnerReference }
  | { readonly kind: 'delete'; readonly propagation: Propagation }
  | { readonly kind: 'detach' | 'unblock'; readonly owners: readonly OwnerReference[] }
  | { readonly kind: 'release'; readonly finalizers: readonly string[] };

/** What to do with a suspect. `states` are those of its owners, in the order of `subject.owners`. */
export function verdictOn(subject: Subject, states: readonly OwnerState[], dependents: DependentsState): Verdict {
  const { isDeleting, finalizers, owners } = subject;
  if (isDeleting) {
    if (finalizers.includes(ORPHAN)) return { kind: 'orphan' };
    if (!finalizers.includes(FOREGROUND)) return { kind: 'settled' };
    if (dependents.block) return { kind: 'wait' };
    return { kind: 'release', finalizers: finalizers.filter((name) => name !== FOREGROUND) };
  }
  if (owners.length === 0) return { kind: 'settled' };
  const unclear = states.findIndex((state) => state === 'unknown' || state === 'unreachable');
  if (unclear >= 0) {
    return { kind: 'undecidable', why: states[unclear] as 'unknown', owner: owners[unclear] as OwnerReference };
  }
  const staying = owners.filter((_, i) => states[i] === 'exists');
  if (staying.length === owners.length) return { kind: 'settled' };
  if (staying.length > 0) return { kind: 'detach', owners: staying };
  if (states.includes('waits') && dependents.exist) {
    const blocks = owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion);
    if (!dependents.wait || !blocks) return { kind: 'delete', propagation: 'Foreground' };
    return { kind: 'unblock', owners: owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })) };
  }
  // the finalizers of the object itself decide how it is deleted
  if (finalizers.includes(ORPHAN)) return { kind: 'delete', propagation: 'Orphan' };
  return { kind: 'delete', propagation: finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background' };
}
