const BYTES = Symbol('bytes');

interface Answering {
  [BYTES]?: number;
}

/** Notes at a response how long its body is. */
export function noteBytes(raw: object, bytes: number): void {
  (raw as Answering)[BYTES] = bytes;
}

/** undefined: nobody has said it. */
export function notedBytes(raw: object): number | undefined {
  return (raw as Answering)[BYTES];
}
