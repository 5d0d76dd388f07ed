import { BodyNotes, type Decoded, MAX_DEPTH, wholeNumber } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  EVENT_ID,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  load,
  mapTag,
  NOT_RESOLVED,
  parseEvents,
  strTag,
} from 'js-yaml';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * YAML from outside, as the JSON that it stands for. Anchors are not expanded: an alias bomb stays as small as it came.
 */
export function decodeYaml(body: Uint8Array): Decoded {
  const notes = new BodyNotes();
  try {
    const value = load(utf8.decode(body), {
      schema: CORE_SCHEMA.withTags(notingMap(notes), textTag, intTag, floatTag),
      // a key that stands twice is noted, and its last value counts
      json: true,
      maxAliases: 0,
      // what stands innermost counts here, too
      maxDepth: MAX_DEPTH + 1,
    });
    if (notes.twice.size === 0) return { value };
    notes.lines = linesOfRepeatedKeys(utf8.decode(body));
    return { value, notes };
  } catch (error) {
    const { message } = error as Error;
    const why = message.includes('maxAliases') ? 'aliases are not allowed' : message;
    throw badRequest(`couldn't parse the body of the request as YAML: ${why}`, error);
  }
}

const MOST_LINES = 100;

/** Where a key stands that its mapping has had before: counted from one, as people count lines. */
function linesOfRepeatedKeys(source: string): string[] {
  const lines: string[] = [];
  /** what is open: a mapping with the keys that it has had, or something else */
  const open: Array<Set<string> | undefined> = [];
  /** in mappings keys and values take turns */
  const turns: boolean[] = [];
  let at = 0;
  let line = 1;
  for (const event of parseEvents(source, {})) {
    const keys = open.at(-1);
    const isKey = keys !== undefined && turns.at(-1) === true;
    if (event.type !== EVENT_ID.POP && turns.length > 0) turns[turns.length - 1] = !isKey;
    if (event.type === EVENT_ID.POP) {
      open.pop();
      turns.pop();
    } else if (event.type === EVENT_ID.SCALAR) {
      if (!isKey) continue;
      const key = getScalarValue(source, event);
      if (keys.has(key)) {
        for (; at < event.valueStart; at++) if (source[at] === '\n') line++;
        lines.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
        if (lines.length === MOST_LINES) break;
      }
      keys.add(key);
    } else if (event.type !== EVENT_ID.ALIAS) {
      open.push(event.type === EVENT_ID.MAPPING ? new Set() : undefined);
      turns.push(event.type === EVENT_ID.MAPPING);
    }
  }
  return lines;
}

/** Keys that stand twice are noted. */
function notingMap(notes: BodyNotes) {
  return defineMappingTag<Record<string, unknown>>(mapTag.tagName, {
    ...mapTag,
    create: () => ({}),
    addPair: (map, key, value) => {
      if (mapTag.has(map, key)) notes.noteTwice(map, String(key));
      return mapTag.addPair(map, key, value);
    },
  });
}

/** An escape may stand for half a surrogate pair. */
const textTag = defineScalarTag<string>(strTag.tagName, {
  ...strTag,
  resolve: (source) => source.toWellFormed(),
});

const DECIMAL = /^([-+]?)0*(\d{16,})$/;

/** Whole numbers keep all their digits. */
const intTag = defineScalarTag<number | bigint>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source, isExplicit, tagName) => {
    const [, sign = '', digits] = DECIMAL.exec(source) ?? [];
    if (digits === undefined) return intCoreTag.resolve(source, isExplicit, tagName);
    return wholeNumber(sign === '-' ? `-${digits}` : digits);
  },
});

/** JSON has no number that is infinite, or none. */
const floatTag = defineScalarTag<number>(floatCoreTag.tagName, {
  ...floatCoreTag,
  resolve: (source, isExplicit, tagName) => {
    const value = floatCoreTag.resolve(source, isExplicit, tagName);
    if (value === NOT_RESOLVED || Number.isFinite(value)) return value;
    throw new Error(`the number ${source} is not finite`);
  },
});
