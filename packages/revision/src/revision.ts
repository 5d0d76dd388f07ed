/**
 * A revision is the store's integer for one change; a resourceVersion is its text in the API.
 *
 * It is a number and not a bigint: 2^53 revisions last 28,000 years at 10,000 writes per second, and numbers are
 * cheaper in comparisons, maps and Protobuf.
 */
export type Revision = number & { readonly __revision: never };

export function toRevision(value: number): Revision {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a revision: ${value}`);
  return value as Revision;
}

export function revisionText(revision: Revision): string {
  return String(revision);
}

/** Each number has one spelling: no sign and no leading zeros. */
const CANONICAL = /^(0|[1-9][0-9]{0,19})$/;
const MAX_UINT64 = 18446744073709551615n;

/**
 * Parses a client's resourceVersion; undefined if it is malformed. Versions above the largest revision are capped at
 * it, so they are treated like any other version of the future.
 */
export function parseResourceVersion(text: string): Revision | undefined {
  if (!CANONICAL.test(text)) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value as Revision;
  return BigInt(text) > MAX_UINT64 ? undefined : (Number.MAX_SAFE_INTEGER as Revision);
}
