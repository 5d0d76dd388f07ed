import type { NamedSchema } from '@tidegate/flow-control';

/** All texts of one answer together; when they are more, each is cut short, and those that still do not fit are left out. */
const ALL_CHARACTERS = 4096;
const CUT_CHARACTERS = 256;

/**
 * The values of the Warning headers: `299 - "text"`, each text once, quotes and backslashes escaped, in UTF-8 and with
 * nothing in it that could end the header.
 */
export function warningHeaders(warnings: readonly string[]): string[] {
  if (warnings.length === 0) return [];
  const texts = [...new Set(warnings)].map(printable);
  const fits = lengthOf(texts) <= ALL_CHARACTERS;
  const kept: string[] = [];
  let room = ALL_CHARACTERS;
  for (const text of fits ? texts : new Set(texts.map(cut))) {
    room -= [...text].length;
    if (room < 0) break;
    kept.push(`299 - "${latin1(text.replace(/["\\]/g, '\\$&'))}"`);
  }
  return kept;
}

/** What is longer than all room is cut anyway. */
function printable(text: string): string {
  return text
    .slice(0, 2 * ALL_CHARACTERS + 2)
    .toWellFormed()
    .replace(/\p{C}/gu, '?');
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + [...text].length, 0);
}

/** Whole characters only. */
function cut(text: string): string {
  const characters = [...text];
  return characters.length <= CUT_CHARACTERS ? text : characters.slice(0, CUT_CHARACTERS).join('');
}

/** Node writes headers byte by byte. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const FLOW = Symbol('flow');
const NONE: readonly string[] = [];

interface Answering {
  [FLOW]?: readonly string[];
}

const made = new WeakMap<NamedSchema, readonly string[]>();

/** Notes at a response what its headers are to say of the flow that the request is of. */
export function noteFlow(raw: object, schema: NamedSchema): void {
  let headers = made.get(schema);
  if (headers === undefined) {
    headers = headersOf(schema);
    made.set(schema, headers);
  }
  (raw as Answering)[FLOW] = headers;
}

/** Names and values in turn; none where the request is of no flow. */
export function flowHeaders(raw: object): readonly string[] {
  return (raw as Answering)[FLOW] ?? NONE;
}

/** Defaults that no object stands for yet have no uid to tell. */
function headersOf({ uid, level }: NamedSchema): readonly string[] {
  if (uid === '' || level.uid === '') return NONE;
  return ['X-Kubernetes-Pf-Flowschema-Uid', uid, 'X-Kubernetes-Pf-Prioritylevel-Uid', level.uid];
}
