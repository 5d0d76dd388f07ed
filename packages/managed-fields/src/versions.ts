import type { JsonObject, Schema } from '@tidegate/schema';
import type { FieldSet } from './field-set.ts';

/** A version of a kind. */
export interface Version {
  readonly apiVersion: string;
  readonly schema: Schema;
  /** fields that this type of request cannot change, so it cannot own them either */
  readonly reset: FieldSet;
}

/** The versions of a kind. Objects are passed and returned in the version of the request. */
export interface Versions {
  /** the version of the request */
  readonly own: Version;
  /** undefined if the version is no longer served */
  find(apiVersion: string): Version | undefined;
  /** Converts an object to another version. Returns the same object if the version is the same. */
  convert(object: JsonObject, from: Version, to: Version): JsonObject;
}

/** The versions of a kind that has only one. */
export function oneVersion(own: Version): Versions {
  return {
    own,
    find: (apiVersion) => (apiVersion === own.apiVersion ? own : undefined),
    convert: (object) => object,
  };
}
