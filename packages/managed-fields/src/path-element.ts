import type { Json, JsonObject } from '@tidegate/schema';

/**
 * One step of a path into an object, in the syntax of managed fields:
 *
 *   f:replicas                            a field, or a key of a map
 *   k:{"name":"web"}                      an item of a list of objects, by the fields that identify it
 *   v:"example.com/guard"                 an item of a list of scalars
 *   i:0                                   an item of a list by its index; decoded, but never created here
 */
export type PathElement = string;

const KINDS = ['f', 'k', 'v', 'i'];

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function valueElement(value: Json): PathElement {
  return `v:${goJson(value)}`;
}

/** Returns undefined if the item has none of the keys, so that it cannot be identified. */
export function keyElement(fields: ReadonlyArray<readonly [name: string, value: Json]>): PathElement | undefined {
  if (fields.length === 0) return undefined;
  const sorted = fields.length === 1 ? fields : [...fields].sort(([a], [b]) => compareText(a, b));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${goJson(value)}`).join(',')}}`;
}

/** The element in canonical form; undefined for an unknown type of element. */
export function normalElement(text: string): PathElement | undefined {
  return text.startsWith('f:') ? text : kept(normals, text, findNormal);
}

const normals = new Map<string, PathElement | undefined>();

function findNormal(text: string): PathElement | undefined {
  if (text.length < 2 || text[1] !== ':') throw new Error(`${JSON.stringify(text)} is not a path element`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'v':
      return valueElement(JSON.parse(content) as Json);
    case 'k': {
      const keys = JSON.parse(content) as Json;
      if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) {
        throw new Error(`the keys of ${JSON.stringify(text)} are not an object`);
      }
      return keyElement(Object.entries(keys)) ?? 'k:{}';
    }
    case 'i':
      if (!/^-?\d+$/.test(content)) throw new Error(`${JSON.stringify(text)} is not an index of a list`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

/** The order of elements in a set. */
export function compareElements(a: PathElement, b: PathElement): number {
  return compareRead(a, b, () => compareContents(contentOf(a), contentOf(b)));
}

function compareRead(a: PathElement, b: PathElement, compareContent: () => number): number {
  if (a === b) return 0;
  const sort = a[0] as string;
  if (sort !== b[0]) return KINDS.indexOf(sort) - KINDS.indexOf(b[0] as string);
  return sort === 'f' ? compareText(a, b) : compareContent();
}

/** Sorts the elements, possibly in place. Each content is decoded once. */
export function sortElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  const [first] = elements as [PathElement];
  if (elements.length <= MOST_KEPT || first.startsWith('f:')) return elements.sort(compareElements);
  const read = elements.map((element) => ({ element, content: element.startsWith('f:') ? [] : readContent(element) }));
  read.sort((a, b) => compareRead(a.element, b.element, () => compareContents(a.content, b.content)));
  return read.map(({ element }) => element);
}

/** The decoded content of an element: the keys of an item, or a value without a name. */
type Content = ReadonlyArray<readonly [name: string, value: Json]>;

function readContent(element: PathElement): Content {
  const content = JSON.parse(element.slice(2)) as Json;
  return element.startsWith('k:') ? Object.entries(content as JsonObject) : [['', content]];
}

const contents = new Map<PathElement, Content>();

function contentOf(element: PathElement): Content {
  return kept(contents, element, readContent);
}

const MOST_KEPT = 4096;
const LONGEST_KEPT = 256;

/** What was read from an element before, because the same few items occur in most objects of a kind. */
function kept<T>(cache: Map<PathElement, T>, element: PathElement, read: (element: PathElement) => T): T {
  const known = cache.get(element);
  if (known !== undefined) return known;
  const value = read(element);
  if (element.length <= LONGEST_KEPT) {
    if (cache.size >= MOST_KEPT) cache.clear();
    cache.set(element, value);
  }
  return value;
}

function compareContents(left: Content, right: Content): number {
  for (let i = 0; i < left.length; i++) {
    const [name, value] = left[i] as Content[number];
    const other = right[i];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** numbers before strings before other values */
const RANKS = ['number', 'string', 'boolean'];

function compareValues(a: Json, b: Json): number {
  if (typeof a !== typeof b) return rank(a) - rank(b);
  if (typeof a === 'number') return a - (b as number);
  if (typeof a === 'string') return compareText(a, b as string);
  return compareText(JSON.stringify(a), JSON.stringify(b));
}

function rank(value: Json): number {
  const found = RANKS.indexOf(typeof value);
  return found < 0 ? RANKS.length : found;
}

/** Compares by code points, which is the order of UTF-8 bytes; JavaScript's `<` compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left === right) continue;
    if (left < FIRST_HALF || right < FIRST_HALF) return left - right;
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a.length - b.length;
}

/** The first surrogate. Surrogates sort below some characters that come before them in UTF-8. */
const FIRST_HALF = 0xd800;

/** JSON in Go's form, because elements are compared as strings. */
function goJson(value: Json): string {
  const text = JSON.stringify(value);
  if (!ESCAPED.test(text)) return text;
  return text.replace(EACH_ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const ESCAPED = /[<>&\u2028\u2029]/;
const EACH_ESCAPED = new RegExp(ESCAPED, 'g');

/** The readable form for conflicts: `.spec.containers[name="web"].image`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join('');
}

function printElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'k': {
      const keys = Object.entries(JSON.parse(content) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${JSON.stringify(JSON.parse(content))}]`;
    default:
      return `[${content}]`;
  }
}
