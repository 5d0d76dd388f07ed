/** A position in a collection: all keys after (namespace, name). */
export interface Position {
  readonly namespace: string;
  readonly name: string;
}

/** By namespace, then name, in code units: for the ASCII names of objects this is the order of the collation "C". */
export function compareKeys(a: Position, b: Position): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return 0;
}
