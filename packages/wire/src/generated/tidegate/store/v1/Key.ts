// Original file: proto/tidegate/store/v1/store.proto


/**
 * A key is three columns, never one joined string. resource is the plural name, with ".group" for named groups.
 */
export interface KeyInput {
  'resource'?: (string);
  'namespace'?: (string);
  'name'?: (string);
}

/**
 * A key is three columns, never one joined string. resource is the plural name, with ".group" for named groups.
 */
export interface Key {
  'resource': (string);
  'namespace': (string);
  'name': (string);
}
