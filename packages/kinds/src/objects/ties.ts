import type { ObjectMeta } from './generic-object.ts';

/** What happens to the dependents of an object when it is deleted. */
export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** The finalizers for which the garbage collector must do its work before an object is removed. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** the form of uids that the server creates */
const UID = /^[0-9a-f-]{1,64}$/;

/**
 * The relations of an object to others, as words in an index of the store; undefined for most objects.
 *
 *   a pod of a replica set       blocks/5f0c…
 *   one with several owners      owner/5f0c…  owner/77ab…
 *   an owner that waits          waits/foreground
 *
 * An owner whose uid does not have the server's form never exists: all of those are one word.
 */
export function tiesOf(meta: ObjectMeta): string[] | undefined {
  const { ownerReferences = [], deletionTimestamp, finalizers = [] } = meta;
  const isOwned = ownerReferences.length > 0;
  const waits = deletionTimestamp !== undefined && (finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN));
  if (!isOwned && !waits) return undefined;
  const words = ownerReferences.map(({ uid = '', blockOwnerDeletion }) =>
    UID.test(uid) ? `${blockOwnerDeletion === true ? 'blocks' : 'owner'}/${uid}` : 'owner/unknown',
  );
  if (waits && finalizers.includes(FOREGROUND)) words.push('waits/foreground');
  if (waits && finalizers.includes(ORPHAN)) words.push('waits/orphan');
  return [...new Set(words)].sort();
}
