import type { ObjectMeta } from './generic-object.ts';

/** What becomes of the objects that an object owns when it is deleted. */
export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** By these finalizers the garbage collector knows that it has to do its work before an object goes. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** as the server makes them */
const UID = /^[0-9a-f-]{1,64}$/;

/**
 * What ties an object to others, as words that the store keeps in an index; undefined for most objects.
 *
 *   a pod of a replica set       blocks/5f0c…
 *   one that several own         owner/5f0c…  owner/77ab…
 *   an owner that waits          waits/foreground
 *
 * An owner whose uid is none that the server gives is never there: all of those are one word.
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
