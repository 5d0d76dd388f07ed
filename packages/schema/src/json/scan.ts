const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The end of a longer string is found with `indexOf`, which is slower for short ones. */
const SHORT_TEXT = 48;
/** The fewest digits of an integer that a double may not hold. */
const LONG_NUMBER = 16;

export interface Shape {
  /** field names, including repeated ones */
  readonly keys: number;
  /** a lower bound of the number of values: one more than there are commas */
  readonly values: number;
  readonly depth: number;
  /** JSON.parse may lose something: digits of a number, or half a surrogate pair */
  readonly isLossy: boolean;
}

/**
 * Scans JSON once without decoding it. Invalid JSON gives an arbitrary shape; the parser rejects it later.
 *
 * For example, `{"a":[1,{"b":2.50}]}` has two keys, at least two values, depth three, and is lossy because of `2.50`.
 */
export function scan(bytes: Buffer): Shape {
  let keys = 0;
  let values = 1;
  let depth = 0;
  let deepest = 0;
  let isLossy = false;
  const end = bytes.length;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      let far = at + SHORT_TEXT;
      for (at++; ; at++) {
        if (at >= far) at = endOfRun(bytes, at);
        const inside = bytes[at];
        if (inside === undefined) break;
        if (inside > BACKSLASH) continue;
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) {
          isLossy ||= isSurrogate(bytes, at);
          far = ++at + SHORT_TEXT;
        }
      }
    } else if (byte === 0x3a) keys++;
    else if (byte === 0x2c) values++;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte >= 0x30 && byte <= 0x39) {
      const from = at;
      let digit: number | undefined = byte;
      while (digit !== undefined && digit >= 0x30 && digit <= 0x39) digit = bytes[++at];
      if (digit === 0x2e || digit === 0x65 || digit === 0x45 || at - from >= LONG_NUMBER) isLossy = true;
      at--;
    }
  }
  return { keys, values, depth: deepest, isLossy };
}

/** Finds the next quote or backslash. It searches window by window, so that a long run of one stays linear. */
function endOfRun(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += WINDOW) {
    const near = bytes.subarray(at, at + WINDOW);
    const [quote, backslash] = [near.indexOf(QUOTE), near.indexOf(BACKSLASH)];
    if (quote >= 0) return at + (backslash >= 0 ? Math.min(quote, backslash) : quote);
    if (backslash >= 0) return at + backslash;
  }
  return bytes.length;
}

const WINDOW = 4096;

/** `\ud800` to `\udfff` */
function isSurrogate(bytes: Buffer, at: number): boolean {
  return bytes[at + 1] === 0x75 && ((bytes[at + 2] as number) | 0x20) === 0x64 && (bytes[at + 3] as number) >= 0x38;
}
