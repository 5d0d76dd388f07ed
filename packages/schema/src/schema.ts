import type { Json, JsonObject } from './json/json.ts';

/** How a schema is written in an OpenAPI document. */
export interface OpenApiOptions {
  /** returns the reference of a named type that has its own place in the document; called for each named type */
  readonly referTo?: (name: string, schema: Schema) => string | undefined;
  /** version 2 writes $ref next to the other keywords, version 3 writes it into allOf; only version 3 has oneOf */
  readonly version: 2 | 3;
  /** descriptions of the fields of every object */
  readonly words?: Readonly<Record<'apiVersion' | 'kind' | 'metadata', string>>;
}

/** How a strategic merge patch treats a field. A field without one: objects and maps are merged, lists are replaced. */
export interface PatchRule {
  /** `merge` a list by its key or by value, `replace` the whole, and keep only the keys that the patch names */
  readonly strategies: ReadonlyArray<'merge' | 'replace' | 'retainKeys'>;
  /** the one field by which a patch knows an item; a list's own keys may be several */
  readonly mergeKey?: string;
}

/** What is said of a field, whatever its type. */
interface Facts {
  readonly required?: boolean;
  /** null is a value of its own; elsewhere it means that the field is not there */
  readonly nullable?: boolean;
  /** what a field that is not there becomes */
  readonly default?: Json;
  readonly enum?: readonly string[];
  /** not there and zero are different things; elsewhere a zero in Protobuf means that the field is not there */
  readonly tracksPresence?: boolean;
  readonly patch?: PatchRule;
  /** kept as it came, of whatever type it is: what it should be is checked beside it, as for custom resources */
  readonly exact?: boolean;
  /** of any JSON: its objects have an owner for each field, as if they were maps; elsewhere it is owned as one */
  readonly deduced?: boolean;
  /**
   * The field's number in Protobuf. The form there follows from the type: whole numbers and booleans are varints,
   * doubles 64 bits; quantity, intOrString, time, microTime, duration and raw are messages of their own.
   */
  readonly number?: number;
  /** numbers of the messages around it in Protobuf that are no objects in JSON, outermost first */
  readonly within?: readonly number[];
}

export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'duration'
  /** any JSON that is handed on as it is; in Protobuf a message with the JSON as its bytes */
  | 'raw'
  /** any JSON; it has no form in Protobuf */
  | 'any';

export interface ObjectShape {
  readonly type: 'object';
  /** may be a getter: a type that refers to itself is resolved when it is looked at */
  readonly fields: Readonly<Record<string, Schema>>;
  /** as error messages say it: `PodSpec` */
  readonly name?: string;
  /** where it stands among the named types of OpenAPI: `io.k8s.api.core.v1.PodSpec` */
  readonly reference?: string;
  /** its fields have one owner together */
  readonly atomic?: boolean;
  /** what fields are that it does not name; without it there are none */
  readonly rest?: Schema;
  /** how OpenAPI says it, where its author has said so */
  readonly published?: (options: OpenApiOptions) => JsonObject;
}

export interface ListShape {
  readonly type: 'list';
  readonly items: Schema;
  /** who owns what of it: the whole, each value, or each item by its keys */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  /** in Protobuf it is a message of its own that repeats its field 1 */
  readonly wrapped?: boolean;
}

/** One of several shapes, told apart by the JSON's own type. In Protobuf a message with a field for each. */
export interface UnionShape {
  readonly type: 'union';
  readonly members: readonly Schema[];
  readonly reference?: string;
}

/** The shape of a field: one small tree serves decoding, pruning, defaults, merging, OpenAPI and Protobuf. */
export type Schema = Facts &
  (
    | { readonly type: ScalarType }
    | { readonly type: 'map'; readonly values: Schema; readonly atomic?: boolean }
    | ListShape
    | ObjectShape
    | UnionShape
  );
