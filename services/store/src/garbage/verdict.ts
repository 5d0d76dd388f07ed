import { FOREGROUND, ORPHAN, type OwnerReference, type Propagation } from '@tidegate/kinds';

/** What the collector has read of a suspect. */
export interface Subject {
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerReference[];
}

/**
 * What the store says of an owner, by its key and its uid:
 *
 *   there     it lives, or goes without waiting for anybody
 *   waits     it waits until its dependents are gone
 *   absent    there is none, or another one of that name
 *   unknown   nobody serves that kind: nothing can be said
 *   elsewhere it could only be in a namespace, and the dependent is in none: nothing can be said
 */
export type OwnerState = 'there' | 'waits' | 'absent' | 'unknown' | 'elsewhere';

export interface DependentsState {
  readonly areThere: boolean;
  /** one of them waits for dependents of its own */
  readonly wait: boolean;
  /** one of them holds the owner back */
  readonly block: boolean;
}

/**
 *   settled   it may stay as it is
 *   helpless  nothing can be said of its owners: left alone
 *   delete    nobody owns it any more
 *   detach    somebody owns it, and these are its owners from now on
 *   unblock   it stands in a circle of objects that wait for each other: its owners no longer wait for it
 *   orphan    its dependents are to stay: they forget it, then it goes
 *   wait      its dependents go before it
 *   release   nothing holds it back but its finalizer
 */
export type Verdict =
  | { readonly kind: 'settled' | 'orphan' | 'wait' }
  | { readonly kind: 'helpless'; readonly why: 'unknown' | 'elsewhere'; readonly owner: OwnerReference }
  | { readonly kind: 'delete'; readonly propagation: Propagation }
  | { readonly kind: 'detach' | 'unblock'; readonly owners: readonly OwnerReference[] }
  | { readonly kind: 'release'; readonly finalizers: readonly string[] };

/** What becomes of a suspect. `states` are those of its owners, in their order. */
export function verdictOn(subject: Subject, states: readonly OwnerState[], dependents: DependentsState): Verdict {
  const { isDeleting, finalizers, owners } = subject;
  if (isDeleting) {
    if (finalizers.includes(ORPHAN)) return { kind: 'orphan' };
    if (!finalizers.includes(FOREGROUND)) return { kind: 'settled' };
    if (dependents.block) return { kind: 'wait' };
    return { kind: 'release', finalizers: finalizers.filter((name) => name !== FOREGROUND) };
  }
  if (owners.length === 0) return { kind: 'settled' };
  const unclear = states.findIndex((state) => state === 'unknown' || state === 'elsewhere');
  if (unclear >= 0) {
    return { kind: 'helpless', why: states[unclear] as 'unknown', owner: owners[unclear] as OwnerReference };
  }
  const staying = owners.filter((_, i) => states[i] === 'there');
  if (staying.length === owners.length) return { kind: 'settled' };
  if (staying.length > 0) return { kind: 'detach', owners: staying };
  if (states.includes('waits') && dependents.areThere) {
    const blocks = owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion);
    if (!dependents.wait || !blocks) return { kind: 'delete', propagation: 'Foreground' };
    return { kind: 'unblock', owners: owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })) };
  }
  // what the object itself asks for holds
  if (finalizers.includes(ORPHAN)) return { kind: 'delete', propagation: 'Orphan' };
  return { kind: 'delete', propagation: finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background' };
}
