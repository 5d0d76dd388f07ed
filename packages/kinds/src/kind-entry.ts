import type { JsonObject, Schema } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import type { ScalePaths } from './custom/definition.ts';

/** A column of the Table form. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'date' | 'boolean';
  readonly format?: string;
  readonly description: string;
  /** above 0: only in wide output */
  readonly priority?: number;
  readonly cell: (object: JsonObject) => string | number | boolean | null;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A path below an object, with its verbs. */
export interface Subresource {
  readonly verbs: readonly string[];
  /** the kind of its requests and responses, when that is not the kind of the object */
  readonly entry?: KindEntry;
}

/** Converts an object of one version into the stored version, and back. */
export interface Conversion {
  readonly group: string;
  readonly version: string;
  /** Both return a new object, or change their argument; the caller sets kind and apiVersion. */
  readonly toStored: (object: JsonObject) => JsonObject;
  readonly fromStored: (object: JsonObject) => JsonObject;
}

/**
 * The webhook that converts objects between the versions of a kind. It is only called where stored objects are read
 * and written: everywhere else objects are in the version of the request.
 */
export interface Converter {
  /** the address of the webhook */
  readonly clientConfig: JsonObject;
  /** the version of the review that it receives */
  readonly review: 'v1' | 'v1beta1';
  /** all versions by their apiVersion, served or not */
  readonly versions: ReadonlyMap<string, Kind>;
  /** the version in which objects are stored now; older objects can be stored in any version */
  readonly stored: Kind;
}

/** The facts of a custom kind that built-in kinds do not have. */
interface CustomFacts {
  /** the name of its CustomResourceDefinition */
  readonly definition: string;
  readonly listKind: string;
  /** the generation of the definition */
  readonly generation: number;
  /** the definition is being deleted: no new objects are created */
  readonly deleting: boolean;
  /** the webhook that converts objects between its versions; undefined without a webhook */
  readonly converter?: Converter;
  /** the fields of its objects that a Scale shows */
  readonly scale?: ScalePaths;
  /** the selectable fields of this version, such as `spec.color` */
  readonly selectable: readonly string[];
}

/** The user who creates an object; some objects contain it. */
export interface Author {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** other attributes of the user, by name */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Fields of an object, each by the names on the way to it. */
export type FieldPaths = ReadonlyArray<readonly string[]>;

/** The rules of a kind that its facts do not have. */
export interface KindRules {
  /** the form of names; without it a DNS subdomain */
  readonly name?: 'subdomain' | 'label' | 'label-1035' | 'path-segment' | 'address' | 'config-key';
  readonly columns?: readonly Column[];
  /** the selectable fields besides metadata.name and metadata.namespace */
  readonly selectableFields?: Readonly<Record<string, (object: JsonObject) => string>>;
  /** the selectable fields of this version, and their names in the stored version */
  readonly selectableAs?: Readonly<Record<string, string>>;
  /** a delete returns the object instead of a Status */
  readonly deleteReturnsObject?: boolean;
  /** the server deletes an object that was not written for this many seconds */
  readonly lifetimeSeconds?: number;
  /** names that may not be deleted */
  readonly undeletable?: readonly string[];
  /** an update must carry a resourceVersion */
  readonly conditionalUpdate?: boolean;
  /** a PUT creates a missing object */
  readonly createsOnUpdate?: boolean;
  /** a creation may include the status */
  readonly createsWithStatus?: boolean;
  /** metadata.generation begins at 1 and grows when one of these paths changes */
  readonly generationPaths?: readonly string[];
  /** by subresource: the fields that a request to that path resets, when they differ from most kinds */
  readonly resetFields?: Readonly<Record<string, FieldPaths>>;
  /** the conversion to the stored version, when that is another one */
  readonly conversion?: Conversion;
  /** sets defaults that the schema cannot express */
  readonly setDefaults?: (object: JsonObject) => void;
  /** sets fields that the server decides on creation */
  readonly prepareCreate?: (object: JsonObject, author: Author) => void;
  /** restores fields that an update may not change */
  readonly prepareUpdate?: (object: JsonObject, old: JsonObject, subresource: string) => void;
  /** how long a deleted object stays until its programs have ended; the client of a delete can request another time */
  readonly graceSeconds?: (object: JsonObject, requested: number | undefined) => number;
  /** the dependents of an object are not collected when it is deleted */
  readonly ownsNothing?: boolean;
  /** a delete without a propagation policy keeps the dependents; `warning` is the warning of such a delete */
  readonly orphansByDefault?: { readonly warning?: string };
  /** the resource of the same group whose object of the same name is deleted together with this one */
  readonly pairedResource?: string;
  /** the finalizer that a delete adds, for work that must be done before the object is removed */
  readonly lastFinalizer?: string;
  /** marks an object whose deletion has begun */
  readonly prepareDelete?: (object: JsonObject) => void;
  /** values that no other object may have at the same time, as words */
  readonly claims?: (object: JsonObject) => string[];
  /** whether an object that is being deleted must stay for another reason than metadata.finalizers */
  readonly held?: (object: JsonObject) => boolean;
  /** checks of a creation in this version; the object is in the stored version */
  readonly validateCreate?: (object: JsonObject) => FieldError[];
  /** An update of the status leaves the rest as it is, so that is not validated again. */
  readonly validate?: (object: JsonObject, subresource?: string) => FieldError[];
  /** checks of a write in this version */
  readonly validateWritten?: (object: JsonObject, old: JsonObject | undefined, subresource: string) => FieldError[];
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, subresource: string) => FieldError[];
  /** warnings about an accepted object; `old` for an update */
  readonly warn?: (object: JsonObject, old?: JsonObject) => string[];
  /** a warning for all requests of this kind */
  readonly deprecated?: string;
}

/** Everything about one kind: its facts, and the rules that a schema cannot express. */
export interface KindEntry extends GroupVersionKind, KindRules {
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** the served subresources */
  readonly subresources: Readonly<Record<string, Subresource>>;
  /** may be a getter: a schema is built when it is first needed */
  readonly schema: Schema & { type: 'object' };
  /** only for kinds of a CustomResourceDefinition */
  readonly custom?: CustomFacts;
}

/** A served kind: its entry, and names and schemas derived from it. */
export interface Kind {
  readonly entry: KindEntry;
  readonly apiVersion: string;
  /** the name of the resource in the store: `configmaps`, `widgets.example.com` */
  readonly storedAs: string;
  readonly schema: Schema & { type: 'object' };
  /** the kind in which its objects are stored: itself, except for kinds in several groups or versions */
  readonly stored: Kind;
}
