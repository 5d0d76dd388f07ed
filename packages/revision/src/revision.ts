/**
 * A revision is the store's integer for one change; a resourceVersion is its text in the API.
 *
 * It is a number and not a bigint: 2^53 revisions are 28,000 years at 10,000 writes a second, and a number costs
 * nothing in comparisons, maps and Protobuf.
 */
export type Revision = number & { readonly __revision: never };

export function toRevision(value: number): Revision {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a revision: ${value}`);
  return value as Revision;
}

export function revisionText(revision: Revision): string {
  return String(revision);
}

/** One spelling for each number: what does not begin with a digit but zero is zero itself. */
const CANONICAL = /^(0|[1-9][0-9]{0,19})$/;
const MAX_UINT64 = 18446744073709551615n;

/**
 * Reads a client's resourceVersion: undefined when it is malformed. Versions that this store can never have reached
 * are capped at the largest revision, so that they are versions of the future like any other.
 */
export function parseResourceVersion(text: string): Revision | undefined {
  if (!CANONICAL.test(text)) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value as Revision;
  return BigInt(text) > MAX_UINT64 ? undefined : (Number.MAX_SAFE_INTEGER as Revision);
}
