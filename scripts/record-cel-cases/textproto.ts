/** A message in Protobuf's text format: the values of each field, in order. */
export type Message = { [field: string]: Array<Message | string> };

const TOKEN =
  /\s+|#[^\n]*|([A-Za-z0-9_.+-]+|\[[A-Za-z0-9_./]+\])|("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|([{}<>:,;[\]])/y;

/** Numbers and words keep their text; strings get a leading quote, to distinguish them. */
export function readTextProto(text: string): Message {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new Error(`unexpected text ${JSON.stringify(text.slice(at, at + 20))}`);
    const [, word, quoted, mark] = match;
    const token = word ?? mark ?? (quoted === undefined ? undefined : `"${unescaped(quoted.slice(1, -1))}`);
    if (token !== undefined) tokens.push(token);
  }
  return new Reader(tokens).message();
}

const SIMPLE: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Decodes the escapes to bytes, with one character for each byte. */
function unescaped(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  return bytes.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (...groups) => {
      const [, hex, short, long, octal, other] = groups as Array<string | undefined>;
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      const point = short ?? long;
      if (point !== undefined) return Buffer.from(String.fromCodePoint(Number.parseInt(point, 16))).toString('latin1');
      const code = SIMPLE[other ?? ''];
      return code === undefined ? (other ?? '') : String.fromCharCode(code);
    },
  );
}

class Reader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  message(end?: string): Message {
    const message: Message = {};
    while (this.#next < this.#tokens.length && !this.#take(end)) {
      const name = this.#tokens[this.#next++] ?? '';
      this.#take(':');
      const values = this.#values();
      message[name] = [...(message[name] ?? []), ...values];
      if (!this.#take(',')) this.#take(';');
    }
    return message;
  }

  #take(token: string | undefined): boolean {
    const found = token !== undefined && this.#tokens[this.#next] === token;
    if (found) this.#next++;
    return found;
  }

  #values(): Array<Message | string> {
    if (!this.#take('[')) return [this.#value()];
    const values: Array<Message | string> = [];
    while (!this.#take(']')) {
      values.push(this.#value());
      this.#take(',');
    }
    return values;
  }

  #value(): Message | string {
    if (this.#take('{')) return this.message('}');
    if (this.#take('<')) return this.message('>');
    let value = this.#tokens[this.#next++] ?? '';
    // adjacent strings are concatenated
    while (value.startsWith('"') && this.#tokens[this.#next]?.startsWith('"')) {
      value += this.#tokens[this.#next++]?.slice(1) ?? '';
    }
    return value;
  }
}
