interface Facts {
  readonly required?: boolean;
  /** the field's number in Protobuf */
  readonly number?: number;
}

/** The shape of a field: one small tree serves decoding, pruning, merging, OpenAPI and Protobuf. */
export type Schema = Facts &
  (
    | { readonly type: 'string' | 'bool' | 'int32' | 'int64' | 'time' | 'bytes' | 'any' }
    | { readonly type: 'map'; readonly values: Schema }
    | {
        readonly type: 'list';
        readonly items: Schema;
        /** a set or a map of its keys is merged by patches; an atomic list is replaced */
        readonly listType?: 'atomic' | 'set' | 'map';
        readonly keys?: readonly string[];
      }
    | { readonly type: 'object'; readonly fields: Readonly<Record<string, Schema>>; readonly name?: string }
  );
