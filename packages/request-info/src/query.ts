import { badRequest } from '@tidegate/status';

/** The query of a request, parsed at first use. `get` returns the first value of a parameter. */
export class Query {
  readonly #text: string;
  #parsed: ReadonlyMap<string, string[]> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get(name: string): string | undefined {
    return this.#values(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.#values(name) ?? [];
  }

  /** The names of the parameters, each once. */
  names(): Iterable<string> {
    return this.#text === '' ? [] : this.#parameters().keys();
  }

  /** A 64-bit integer; undefined if the parameter is absent. */
  int64(name: string): bigint | undefined {
    const text = this.get(name);
    return text === undefined ? undefined : parseInt64(name, text);
  }

  /** The same as a number; values that are not safe integers are clamped. */
  count(name: string): number | undefined {
    const value = this.int64(name);
    if (value === undefined) return undefined;
    const max = BigInt(Number.MAX_SAFE_INTEGER);
    return Number(value > max ? max : value < -max ? -max : value);
  }

  /** `?x`, `?x=1` and `?x=true` mean true, `?x=0` and `?x=false` mean false; other values are rejected. */
  flag(name: string): boolean {
    return parseFlag(name, this.get(name));
  }

  #values(name: string): readonly string[] | undefined {
    return this.#text === '' ? undefined : this.#parameters().get(name);
  }

  #parameters(): ReadonlyMap<string, string[]> {
    if (this.#parsed === undefined) this.#parsed = parametersOf(this.#text);
    return this.#parsed;
  }
}

function parametersOf(text: string): ReadonlyMap<string, string[]> {
  const parameters = new Map<string, string[]>();
  new URLSearchParams(text).forEach((value, name) => {
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  });
  return parameters;
}

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

export function parseInt64(name: string, text: string): bigint {
  const invalidParameter = (why: string) =>
    badRequest(`invalid value ${JSON.stringify(text)} of the query parameter ${name}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw invalidParameter('use a whole number');
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace(/^\+/, ''));
  if (value < INT64.min || value > INT64.max) throw invalidParameter('use a whole number of 64 bits');
  return value;
}

/** Parses a boolean in any case: Python clients send `True`. */
export function parseFlag(name: string, text: string | undefined): boolean {
  switch (text?.toLowerCase()) {
    case undefined:
    case '0':
    case 'false':
      return false;
    case '':
    case '1':
    case 'true':
      return true;
    default:
      throw badRequest(`invalid value ${JSON.stringify(text)} of the query parameter ${name}: use true, false, 1 or 0`);
  }
}
