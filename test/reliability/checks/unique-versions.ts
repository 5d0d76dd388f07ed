import type { Check } from './check.ts';

/**
 * Invariant: a version belongs to one change of one object, and every acknowledgement, read, list and watch shows the
 * same change. Two writes with one version, or one write that two clients saw with different content, violate it.
 */
export const uniqueVersions: Check = (_, log) => log.contradictions;
