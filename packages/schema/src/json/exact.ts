import { BodyNotes, type Decoded } from './body-notes.ts';
import { type Json, type JsonObject, setOwn } from './json.ts';
import { wholeNumber } from './whole-number.ts';

/**
 * Reads JSON that JSON.parse has accepted, and keeps what that loses: the digits of large numbers, repeated keys, and
 * the original text of numbers. Half a surrogate pair becomes U+FFFD, as in Go.
 */
export function readExactly(text: string): Decoded {
  const reader = new ExactReader(text);
  return { value: reader.value(reader, 0), notes: reader.notes };
}

class ExactReader {
  readonly notes = new BodyNotes();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(holder: object, place: string | number): Json {
    switch (this.#next()) {
      case OPEN_OBJECT:
        return this.#object();
      case OPEN_LIST:
        return this.#list();
      case QUOTE:
        return this.#string();
      case 0x74:
        return this.#word(4, true);
      case 0x66:
        return this.#word(5, false);
      case 0x6e:
        return this.#word(4, null);
      default:
        return this.#number(holder, place);
    }
  }

  /** Skips spaces and returns the next character. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 0x20 || (code >= 0x09 && code <= 0x0d)) code = this.#text.charCodeAt(++this.#at);
    return code;
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    this.#at++;
    for (let code = this.#next(); code !== CLOSE_OBJECT; code = this.#next()) {
      if (code === COMMA) {
        this.#at++;
        this.#next();
      }
      const key = this.#string();
      this.#next();
      this.#at++;
      if (Object.hasOwn(object, key)) this.notes.noteRepeatedKey(object, key);
      this.notes.written.get(object)?.delete(key);
      setOwn(object, key, this.value(object, key));
    }
    this.#at++;
    return object;
  }

  #list(): Json[] {
    const list: Json[] = [];
    this.#at++;
    for (let code = this.#next(); code !== CLOSE_LIST; code = this.#next()) {
      if (code === COMMA) this.#at++;
      list.push(this.value(list, list.length));
    }
    this.#at++;
    return list;
  }

  #string(): string {
    const from = this.#at;
    let at = from + 1;
    let escaped = false;
    for (let code = this.#text.charCodeAt(at); code !== QUOTE; code = this.#text.charCodeAt(++at)) {
      if (code === BACKSLASH) {
        escaped = true;
        at++;
      }
    }
    this.#at = at + 1;
    if (!escaped) return this.#text.slice(from + 1, at);
    return (JSON.parse(this.#text.slice(from, at + 1)) as string).toWellFormed();
  }

  #word<T>(length: number, value: T): T {
    this.#at += length;
    return value;
  }

  #number(holder: object, place: string | number): Json {
    const from = this.#at;
    let isWhole = true;
    for (let code = this.#text.charCodeAt(this.#at); isOfNumber(code); code = this.#text.charCodeAt(++this.#at)) {
      if (code === 0x2e || code === 0x65 || code === 0x45) isWhole = false;
    }
    const digits = this.#text.slice(from, this.#at);
    const value = isWhole ? wholeNumber(digits) : Number(digits);
    if (String(value) !== digits && digits !== '-0') this.notes.noteWritten(holder, place, digits);
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
      throw new RangeError(`json: cannot unmarshal number ${short(digits)} into Go value of type float64`);
    return value;
  }
}

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** digits, `+`, `-`, `.`, `e` and `E` */
function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65;
}

function short(digits: string): string {
  return digits.length <= 40 ? digits : `${digits.slice(0, 40)}...`;
}
