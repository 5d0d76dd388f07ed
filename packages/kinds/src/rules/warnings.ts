import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { Place } from './place.ts';

/** Hears what a client should know of an object that is taken all the same. Answers false when no more is told. */
export type Tell = (words: string) => boolean;

/** What is to be told of an object of one kind; `old` is there where it is changed. */
export type Warnings = (object: Place, tell: Tell, old?: JsonObject) => void;

/** Tells it with the path of the field. */
export function tellOf(place: Place, tell: Tell, words: string): boolean {
  return tell(`${place.path}: ${words}`);
}

/** A value in the way that paths name keys of maps: `metadata.annotations[key]`. */
export function keyOf(map: Place, key: string): string {
  return `${map.path}[${key}]`;
}

/** Collects the warnings of an object. */
export function warner(warnings: Warnings) {
  return (object: JsonObject, old?: JsonObject): string[] => {
    const words: string[] = [];
    const tell: Tell = (one) => {
      if (words.length < MOST_WARNINGS) words.push(one);
      return words.length < MOST_WARNINGS;
    };
    warnings(new Place(undefined, '', object, []), tell, old);
    return words;
  };
}

/** An answer has room for a few dozen. */
const MOST_WARNINGS = 1000;

/** Something is wanted that was not wanted before. */
export function isOther(object: Place, old: JsonObject | undefined): boolean {
  if (old === undefined) return true;
  const before = isJsonObject(old.metadata) ? old.metadata.generation : undefined;
  return before !== object.field('metadata').object.generation;
}
