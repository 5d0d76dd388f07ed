import type { JsonObject } from '@tidegate/schema';
import type { Place } from '../validation/place.ts';

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
