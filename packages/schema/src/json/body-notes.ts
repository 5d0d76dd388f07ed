/** Facts about a body that its decoded value does not show. */
export class BodyNotes {
  /** repeated keys by their object; the object has the last value */
  readonly repeatedKeys = new Map<object, Set<string>>();
  /** the original text of numbers that JavaScript would print differently, by their object or list */
  readonly written = new Map<object, Map<string | number, string>>();

  /** the YAML decoder's messages about repeated keys, with their lines */
  lines: readonly string[] = [];

  noteRepeatedKey(holder: object, key: string): void {
    const keys = this.repeatedKeys.get(holder);
    if (keys === undefined) this.repeatedKeys.set(holder, new Set([key]));
    else keys.add(key);
  }

  noteWritten(holder: object, place: string | number, text: string): void {
    const texts = this.written.get(holder);
    if (texts === undefined) this.written.set(holder, new Map([[place, text]]));
    else texts.set(place, text);
  }
}

/** A decoded body. */
export interface Decoded {
  readonly value: unknown;
  /** undefined if there is nothing to note */
  readonly notes?: BodyNotes | undefined;
}
