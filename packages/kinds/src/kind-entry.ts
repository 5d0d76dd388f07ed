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

/** A path below an object, with what may be done there. */
export interface Subresource {
  readonly verbs: readonly string[];
  /** what it takes and answers, where that is a kind of its own */
  readonly entry?: KindEntry;
}

/** How an object of one version becomes the same object in the version that is stored, and back. */
export interface Conversion {
  readonly group: string;
  readonly version: string;
  /** Both make a new object, or change the one they are given; kind and apiVersion are set by the caller. */
  readonly toStored: (object: JsonObject) => JsonObject;
  readonly fromStored: (object: JsonObject) => JsonObject;
}

/**
 * The webhook that makes an object of one version of a kind one of another. Only who reads and writes what is stored asks
 * it: everywhere else objects are in the version of the request.
 */
export interface Converter {
  /** how it is reached */
  readonly clientConfig: JsonObject;
  /** in which form it is asked, of those that it knows */
  readonly review: 'v1' | 'v1beta1';
  /** all versions by their apiVersion, served or not */
  readonly versions: ReadonlyMap<string, Kind>;
  /** the one in which objects are stored from now on; older ones may be in any */
  readonly stored: Kind;
}

/** What is known of a kind that somebody has defined, beyond what every kind has. */
interface CustomFacts {
  /** the name of its CustomResourceDefinition */
  readonly definition: string;
  readonly listKind: string;
  /** the generation of the definition */
  readonly generation: number;
  /** the definition is being deleted: nothing new is made */
  readonly closing: boolean;
  /** what converts objects between its versions, where that is not done here */
  readonly converter?: Converter;
  /** where its objects have what a Scale shows */
  readonly scale?: ScalePaths;
  /** fields by which this version says that its objects are selected, as in `spec.color` */
  readonly selectable: readonly string[];
}

/** Who makes an object, where the object itself tells it. */
export interface Author {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** what else is known of them, by the name of it */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Fields of an object, each by the names on the way to it. */
export type FieldPaths = ReadonlyArray<readonly string[]>;

/** The few rules of a kind that its facts do not say. */
export interface KindRules {
  /** what a name looks like; a DNS subdomain when nothing is said */
  readonly name?: 'subdomain' | 'label' | 'label-1035' | 'path-segment' | 'address';
  readonly columns?: readonly Column[];
  /** fields beyond metadata.name and metadata.namespace by which lists and watches may select */
  readonly selectableFields?: Readonly<Record<string, (object: JsonObject) => string>>;
  /** the names of selectable fields here, and in the version that is stored */
  readonly selectableAs?: Readonly<Record<string, string>>;
  /** answers a delete with the object instead of a Status */
  readonly deleteReturnsObject?: boolean;
  /** an object is deleted by itself when nobody has written it for so long */
  readonly lifetimeSeconds?: number;
  /** names that may not be deleted */
  readonly undeletable?: readonly string[];
  /** an update must carry a resourceVersion */
  readonly conditionalUpdate?: boolean;
  /** a PUT makes it where it is not there */
  readonly createsOnUpdate?: boolean;
  /** a creation may bring its status along */
  readonly createsWithStatus?: boolean;
  /** metadata.generation begins at 1 and grows when one of these changes */
  readonly counts?: readonly string[];
  /** by subresource: the fields that a request to that path resets, where they are not those of most kinds */
  readonly resetFields?: Readonly<Record<string, FieldPaths>>;
  /** it is kept in another version */
  readonly conversion?: Conversion;
  /** sets what the client left out, beyond the defaults of the schema */
  readonly setDefaults?: (object: JsonObject) => void;
  /** sets what the server decides on creation */
  readonly prepareCreate?: (object: JsonObject, author: Author) => void;
  /** takes back what an update may not change */
  readonly prepareUpdate?: (object: JsonObject, old: JsonObject, subresource: string) => void;
  /** how long a deleted object stays, for its programs to end; whoever deletes it may ask for another time */
  readonly graceSeconds?: (object: JsonObject, asked: number | undefined) => number;
  /** what depends on an object is not looked after when it goes */
  readonly ownsNothing?: boolean;
  /** its dependents stay when a delete says nothing about them; `warning` is what such a delete is told */
  readonly orphansByDefault?: { readonly warning?: string };
  /** the resource of the same group of which an object of the same name goes with it */
  readonly companion?: string;
  /** whoever deletes it leaves this finalizer behind, for what must be done before it goes */
  readonly lastFinalizer?: string;
  /** sets what shows that deletion has begun */
  readonly prepareDelete?: (object: JsonObject) => void;
  /** what it has that no other object may have at the same time, as words */
  readonly claims?: (object: JsonObject) => string[];
  /** more than metadata.finalizers holds a deleting object back */
  readonly held?: (object: JsonObject) => boolean;
  /** what only holds for the version in which it is made; the object is in the one that is stored */
  readonly validateCreate?: (object: JsonObject) => FieldError[];
  readonly validate?: (object: JsonObject) => FieldError[];
  /** what holds in the version in which it is written, and only there */
  readonly validateWritten?: (object: JsonObject, old: JsonObject | undefined, subresource: string) => FieldError[];
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, subresource: string) => FieldError[];
  /** what a client should know of an object that it wrote and that was taken; `old` where it was changed */
  readonly warn?: (object: JsonObject, old?: JsonObject) => string[];
  /** told to everybody who uses it */
  readonly deprecated?: string;
}

/** Everything the server knows about one kind: facts first, and the few rules that a schema cannot say. */
export interface KindEntry extends GroupVersionKind, KindRules {
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** those that are served */
  readonly subresources: Readonly<Record<string, Subresource>>;
  /** may be a getter: a schema is built when it is first needed */
  readonly schema: Schema & { type: 'object' };
  /** of a kind that a CustomResourceDefinition makes */
  readonly custom?: CustomFacts;
}

/** A served kind: its entry and what follows from it. */
export interface Kind {
  readonly entry: KindEntry;
  readonly apiVersion: string;
  /** how the store names the resource: `configmaps`, `widgets.example.com` */
  readonly storedAs: string;
  readonly schema: Schema & { type: 'object' };
  /** the kind as which its objects are stored: itself, but for kinds of several groups or versions */
  readonly stored: Kind;
}
