import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { Place } from './place.ts';

/** Takes a warning about an accepted object. Returns false when no more warnings are accepted. */
export type AddWarning = (text: string) => boolean;

/** Finds the warnings of an object of one kind; `old` is set for an update. */
export type Warnings = (object: Place, warn: AddWarning, old?: JsonObject) => void;

/** Adds a warning with the path of its field. */
export function warnAt(place: Place, warn: AddWarning, text: string): boolean {
  return warn(`${place.path}: ${text}`);
}

/** The path of a key of a map: `metadata.annotations[key]`. */
export function keyOf(map: Place, key: string): string {
  return `${map.path}[${key}]`;
}

/** Collects the warnings of an object. */
export function warner(warnings: Warnings) {
  return (object: JsonObject, old?: JsonObject): string[] => {
    const texts: string[] = [];
    const warn: AddWarning = (one) => {
      if (texts.length < MAX_WARNINGS) texts.push(one);
      return texts.length < MAX_WARNINGS;
    };
    warnings(new Place(undefined, '', object, []), warn, old);
    return texts;
  };
}

/** More warnings are not collected; a response has room for a few dozen. */
const MAX_WARNINGS = 1000;

/** Whether the spec of an object is new or has changed, by its generation. */
export function isChanged(object: Place, old: JsonObject | undefined): boolean {
  if (old === undefined) return true;
  const before = isJsonObject(old.metadata) ? old.metadata.generation : undefined;
  return before !== object.field('metadata').object.generation;
}
