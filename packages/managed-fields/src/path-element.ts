import type { Json, JsonObject } from '@tidegate/schema';

/**
 * One step of a path into an object, as managed fields write it:
 *
 *   f:replicas                            a field, or a key of a map
 *   k:{"name":"web"}                      an item of a list of objects, by the fields that identify it
 *   v:"example.com/guard"                 an item of a list of values
 *   i:0                                   an item of a list by its place; read, never made here
 */
export type PathElement = string;

const KINDS = ['f', 'k', 'v', 'i'];

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function valueElement(value: Json): PathElement {
  return `v:${goJson(value)}`;
}

/** undefined: the item has none of the keys, so nothing tells it apart. */
export function keyElement(fields: ReadonlyArray<readonly [name: string, value: Json]>): PathElement | undefined {
  if (fields.length === 0) return undefined;
  const sorted = fields.length === 1 ? fields : [...fields].sort(([a], [b]) => compareText(a, b));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${goJson(value)}`).join(',')}}`;
}

/** The element as it is written here, whoever wrote it. undefined: of a sort that nobody knows. */
export function normalElement(text: string): PathElement | undefined {
  if (text.length < 2 || text[1] !== ':') throw new Error(`${JSON.stringify(text)} is no path element`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(JSON.parse(content) as Json);
    case 'k': {
      const keys = JSON.parse(content) as Json;
      if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) {
        throw new Error(`the keys of ${JSON.stringify(text)} are no object`);
      }
      return keyElement(Object.entries(keys)) ?? 'k:{}';
    }
    case 'i':
      if (!/^-?\d+$/.test(content)) throw new Error(`${JSON.stringify(text)} is no place in a list`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

/** The order in which elements stand in a set. */
export function compareElements(a: PathElement, b: PathElement): number {
  return compareRead(a, b, () => compareContents(contentOf(a), contentOf(b)));
}

function compareRead(a: PathElement, b: PathElement, compareSaid: () => number): number {
  if (a === b) return 0;
  const sort = a[0] as string;
  if (sort !== b[0]) return KINDS.indexOf(sort) - KINDS.indexOf(b[0] as string);
  return sort === 'f' ? compareText(a, b) : compareSaid();
}

/** The elements in their order; the list itself may be changed. What each says is read once. */
export function sortElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  const [first] = elements as [PathElement];
  if (elements.length <= MOST_CONTENTS || first.startsWith('f:')) return elements.sort(compareElements);
  const read = elements.map((element) => ({ element, content: element.startsWith('f:') ? [] : readContent(element) }));
  read.sort((a, b) => compareRead(a.element, b.element, () => compareContents(a.content, b.content)));
  return read.map(({ element }) => element);
}

/** What an element says: the keys of an item, or a value without a name. */
type Content = ReadonlyArray<readonly [name: string, value: Json]>;

function readContent(element: PathElement): Content {
  const content = JSON.parse(element.slice(2)) as Json;
  return element.startsWith('k:') ? Object.entries(content as JsonObject) : [['', content]];
}

const contents = new Map<PathElement, Content>();
const MOST_CONTENTS = 4096;

/** What an element says, read once while it is in use: the same few are compared again and again. */
function contentOf(element: PathElement): Content {
  const known = contents.get(element);
  if (known !== undefined) return known;
  if (contents.size >= MOST_CONTENTS) contents.clear();
  const content = readContent(element);
  contents.set(element, content);
  return content;
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

/** numbers before texts before the rest */
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

/** By code points, as the bytes in UTF-8 are ordered; JavaScript compares halves of pairs. */
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

/** Halves of pairs stand below the last characters that are none. */
const FIRST_HALF = 0xd800;

/** Values inside an element are written as Go writes them, because elements are compared as texts. */
function goJson(value: Json): string {
  const text = JSON.stringify(value);
  if (!ESCAPED.test(text)) return text;
  return text.replace(EACH_ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const ESCAPED = /[<>&\u2028\u2029]/;
const EACH_ESCAPED = new RegExp(ESCAPED, 'g');

/** As people read it in a conflict: `.spec.containers[name="web"].image`. */
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
