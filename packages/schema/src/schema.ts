/** The shape of a field: one small tree serves decoding, pruning, merging and OpenAPI. */
export type Schema =
  | { readonly type: 'string' | 'bool' | 'int32' | 'int64' | 'time' | 'bytes' | 'any'; readonly required?: boolean }
  | { readonly type: 'map'; readonly values: Schema; readonly required?: boolean }
  | {
      readonly type: 'list';
      readonly items: Schema;
      /** a set or a map of its keys is merged by patches; an atomic list is replaced */
      readonly listType?: 'atomic' | 'set' | 'map';
      readonly keys?: readonly string[];
      readonly required?: boolean;
    }
  | {
      readonly type: 'object';
      readonly fields: Readonly<Record<string, Schema>>;
      readonly name?: string;
      readonly required?: boolean;
    };
