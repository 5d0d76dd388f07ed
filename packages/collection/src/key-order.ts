/** A place in a collection: everything after (namespace, name). */
export interface Position {
  readonly namespace: string;
  readonly name: string;
}

/** By namespace, then name, in code units: the order of the collation "C" for the ASCII names that objects have. */
export function compareKeys(a: Position, b: Position): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return 0;
}
