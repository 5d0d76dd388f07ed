/** What a body said that the value made of it does not tell. */
export class BodyNotes {
  /** by the object in which they stand: keys that stand there more than once; the last value is in the object */
  readonly twice = new Map<object, Set<string>>();
  /** by the object or list in which they stand: numbers that JavaScript would write otherwise, as they were written */
  readonly written = new Map<object, Map<string | number, string>>();

  /** what the reader of YAML says of keys that stand twice: where */
  lines: readonly string[] = [];

  noteTwice(holder: object, key: string): void {
    const keys = this.twice.get(holder);
    if (keys === undefined) this.twice.set(holder, new Set([key]));
    else keys.add(key);
  }

  noteWritten(holder: object, place: string | number, text: string): void {
    const texts = this.written.get(holder);
    if (texts === undefined) this.written.set(holder, new Map([[place, text]]));
    else texts.set(place, text);
  }
}

/** A body as a value, with what else is to be known of it. */
export interface Decoded {
  readonly value: unknown;
  /** undefined: nothing */
  readonly notes?: BodyNotes | undefined;
}
