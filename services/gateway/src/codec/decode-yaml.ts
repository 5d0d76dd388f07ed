import { BodyNotes, type Decoded, MAX_DEPTH, wholeNumber } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  floatCoreTag,
  intCoreTag,
  load,
  mapTag,
  NOT_RESOLVED,
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
    return notes.twice.size === 0 ? { value } : { value, notes };
  } catch (error) {
    const { message } = error as Error;
    const why = message.includes('maxAliases') ? 'aliases are not allowed' : message;
    throw badRequest(`couldn't parse the body of the request as YAML: ${why}`, error);
  }
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
