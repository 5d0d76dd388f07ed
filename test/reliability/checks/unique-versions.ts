import type { Check } from './check.ts';

/**
 * Invariant: a version belongs to one change of one object. Whoever tells of it, an acknowledgement, a read, a list or
 * a watch, tells the same. Two writes that were acknowledged with one version, or one write that two clients saw with
 * different content, break it.
 */
export const uniqueVersions: Check = (_, log) => log.contradictions;
