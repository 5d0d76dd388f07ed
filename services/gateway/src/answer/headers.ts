import type { NamedSchema } from '@tidegate/flow-control';

/**
 * The limit for all warnings of an answer together. Above it each is truncated, and those that still do not fit are
 * dropped.
 */
const MAX_CHARACTERS = 4096;
const TRUNCATED_CHARACTERS = 256;

/**
 * The values of the Warning headers: `299 - "text"`. Duplicates are removed, quotes and backslashes escaped, and
 * control characters replaced, so that a text cannot end the header. The encoding is UTF-8.
 */
export function warningHeaders(warnings: readonly string[]): string[] {
  if (warnings.length === 0) return [];
  const texts = [...new Set(warnings)].map(printable);
  const fits = lengthOf(texts) <= MAX_CHARACTERS;
  const kept: string[] = [];
  let room = MAX_CHARACTERS;
  for (const text of fits ? texts : new Set(texts.map(truncated))) {
    room -= [...text].length;
    if (room < 0) break;
    kept.push(`299 - "${latin1(text.replace(/["\\]/g, '\\$&'))}"`);
  }
  return kept;
}

/** Replaces control characters. Texts beyond the total limit are cut first. */
function printable(text: string): string {
  return text
    .slice(0, 2 * MAX_CHARACTERS + 2)
    .toWellFormed()
    .replace(/\p{C}/gu, '?');
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + [...text].length, 0);
}

/** Truncates at a character boundary. */
function truncated(text: string): string {
  const characters = [...text];
  return characters.length <= TRUNCATED_CHARACTERS ? text : characters.slice(0, TRUNCATED_CHARACTERS).join('');
}

/** Node writes header values as latin1, so UTF-8 bytes are passed in that form. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const FLOW = Symbol('flow');
const NONE: readonly string[] = [];

interface WithFlow {
  [FLOW]?: readonly string[];
}

const headersBySchema = new WeakMap<NamedSchema, readonly string[]>();

/** Attaches the API Priority and Fairness headers of a request to its response. */
export function noteFlow(raw: object, schema: NamedSchema): void {
  let headers = headersBySchema.get(schema);
  if (headers === undefined) {
    headers = headersOf(schema);
    headersBySchema.set(schema, headers);
  }
  (raw as WithFlow)[FLOW] = headers;
}

/** Alternating names and values; empty if the request has no flow. */
export function flowHeaders(raw: object): readonly string[] {
  return (raw as WithFlow)[FLOW] ?? NONE;
}

/** Built-in defaults that are not stored yet have no uid, so they have no headers. */
function headersOf({ uid, level }: NamedSchema): readonly string[] {
  if (uid === '' || level.uid === '') return NONE;
  return ['X-Kubernetes-Pf-Flowschema-Uid', uid, 'X-Kubernetes-Pf-Prioritylevel-Uid', level.uid];
}
