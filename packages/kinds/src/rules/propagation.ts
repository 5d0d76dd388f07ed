/** What becomes of the objects that an object owns when it is deleted. */
export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** By these finalizers the garbage collector knows that it has to do its work before an object goes. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';
