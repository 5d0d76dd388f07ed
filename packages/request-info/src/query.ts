import { badRequest } from '@tidegate/status';

/** The query of a request: the first value of each parameter counts, and only as often as it is asked for. */
export class Query {
  readonly #text: string;
  #parsed: URLSearchParams | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get(name: string): string | undefined {
    if (this.#text === '') return undefined;
    this.#parsed ??= new URLSearchParams(this.#text);
    return this.#parsed.get(name) ?? undefined;
  }

  all(name: string): string[] {
    if (this.#text === '') return [];
    this.#parsed ??= new URLSearchParams(this.#text);
    return this.#parsed.getAll(name);
  }

  /** `?x`, `?x=1` and `?x=true` are on, `?x=0` and `?x=false` off, anything else is refused. */
  flag(name: string): boolean {
    return parseFlag(name, this.get(name));
  }
}

export function parseFlag(name: string, text: string | undefined): boolean {
  switch (text) {
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
