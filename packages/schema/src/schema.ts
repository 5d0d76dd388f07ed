import type { Json, JsonObject } from './json/json.ts';

/** How a schema is written in an OpenAPI document. */
export interface OpenApiOptions {
  /** returns the reference of a named type that has its own place in the document; called for each named type */
  readonly referTo?: (name: string, schema: Schema) => string | undefined;
  /** version 2 writes $ref next to the other keywords, version 3 writes it into allOf; only version 3 has oneOf */
  readonly version: 2 | 3;
  /** descriptions of the fields of every object */
  readonly descriptions?: Readonly<Record<'apiVersion' | 'kind' | 'metadata', string>>;
}

/** How a strategic merge patch treats a field. Without a rule objects and maps are merged, and lists are replaced. */
export interface PatchRule {
  /** `merge` a list by its key or by value, `replace` the whole, and keep only the keys that the patch names */
  readonly strategies: ReadonlyArray<'merge' | 'replace' | 'retainKeys'>;
  /** the field by which a patch identifies an item; the keys of the list can be several */
  readonly mergeKey?: string;
}

/** The facts of a field, for all types. */
interface Facts {
  readonly required?: boolean;
  /** null is a value; without this it means that the field is absent */
  readonly nullable?: boolean;
  /** the value of an absent field */
  readonly default?: Json;
  readonly enum?: readonly string[];
  /** absent and zero differ; otherwise zero in Protobuf means that the field is absent */
  readonly tracksPresence?: boolean;
  readonly patch?: PatchRule;
  /** the value is kept unchanged with any type; its type is checked elsewhere, as for custom resources */
  readonly exact?: boolean;
  /** only for any JSON: its objects have an owner for each field, like maps; without this it has one owner */
  readonly deduced?: boolean;
  /**
   * The field's number in Protobuf. The wire type follows from the type: integers and booleans are varints, doubles
   * 64 bits; quantity, intOrString, time, microTime, duration and raw are messages.
   */
  readonly number?: number;
  /** the numbers of messages around the field that exist in Protobuf only, outermost first */
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
  /** any JSON, unchanged; in Protobuf a message with the JSON as its bytes */
  | 'raw'
  /** any JSON, without a form in Protobuf */
  | 'any';

export interface ObjectShape {
  readonly type: 'object';
  /** may be a getter: a recursive type is resolved at its first use */
  readonly fields: Readonly<Record<string, Schema>>;
  /** its name in error messages: `PodSpec` */
  readonly name?: string;
  /** its name in OpenAPI: `io.k8s.api.core.v1.PodSpec` */
  readonly reference?: string;
  /** all its fields have one owner */
  readonly atomic?: boolean;
  /** the schema of all other fields; without it there are none */
  readonly rest?: Schema;
  /** its OpenAPI form, when its author has defined it */
  readonly published?: (options: OpenApiOptions) => JsonObject;
}

export interface ListShape {
  readonly type: 'list';
  readonly items: Schema;
  /** the unit of ownership: the list, each value, or each item by its keys */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  /** in Protobuf it is a message whose field 1 is repeated */
  readonly wrapped?: boolean;
}

/** One of several shapes, by the type of the JSON value. In Protobuf a message with a field for each. */
export interface UnionShape {
  readonly type: 'union';
  readonly members: readonly Schema[];
  readonly reference?: string;
}

/** The shape of a field: one tree for decoding, pruning, defaults, merging, OpenAPI and Protobuf. */
export type Schema = Facts &
  (
    | { readonly type: ScalarType }
    | { readonly type: 'map'; readonly values: Schema; readonly atomic?: boolean }
    | ListShape
    | ObjectShape
    | UnionShape
  );
