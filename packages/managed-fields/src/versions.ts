import type { JsonObject, Schema } from '@tidegate/schema';
import type { FieldSet } from './field-set.ts';

/** A version in which objects of a kind are written. */
export interface Version {
  readonly apiVersion: string;
  readonly schema: Schema;
  /** what a request of this sort cannot change, so that nobody owns it through one */
  readonly reset: FieldSet;
}

/** The versions of a kind, as its owners name them. An object comes and goes in the version of the request. */
export interface Versions {
  /** that of the request */
  readonly own: Version;
  /** undefined: it is not served any more */
  find(apiVersion: string): Version | undefined;
  /** An object of one version in another. The same object for the same version. */
  convert(object: JsonObject, from: Version, to: Version): JsonObject;
}

/** Kinds that have one version only. */
export function oneVersion(own: Version): Versions {
  return {
    own,
    find: (apiVersion) => (apiVersion === own.apiVersion ? own : undefined),
    convert: (object) => object,
  };
}
