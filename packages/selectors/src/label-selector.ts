import { badRequest } from '@tidegate/status';

/** A parsed labelSelector: every requirement must hold. */
export interface LabelSelector {
  matches(labels: Readonly<Record<string, string>>): boolean;
}

type Requirement = (value: string | undefined) => boolean;

const KEY = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const TOKEN = /\s*(!=|==|=|!|>|<|\(|\)|,|[^\s!=<>(),]+)/y;

/**
 * Returns undefined if the text selects everything. Syntax: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`,
 * `a notin (b,c)`, `a>1`, `a<1`.
 */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  if (text.trim() === '') return undefined;
  const requirements = new Parser(text).parse();
  return {
    matches: (labels) =>
      requirements.every(([key, test]) => test(Object.hasOwn(labels, key) ? (labels[key] as string) : undefined)),
  };
}

class Parser {
  readonly #text: string;
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) this.#tokens.push(match[1] as string);
  }

  parse(): Array<[string, Requirement]> {
    const all: Array<[string, Requirement]> = [];
    for (;;) {
      all.push(this.#requirement());
      if (this.#at === this.#tokens.length) return all;
      this.#expect(',');
    }
  }

  #requirement(): [string, Requirement] {
    if (this.#peek() === '!') {
      this.#at++;
      return [this.#key(), (value) => value === undefined];
    }
    const key = this.#key();
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return [key, (value) => value !== undefined];
    this.#at++;
    switch (operator) {
      case '=':
      case '==': {
        const wanted = this.#value();
        return [key, (value) => value === wanted];
      }
      case '!=': {
        const unwanted = this.#value();
        return [key, (value) => value !== unwanted];
      }
      case '>':
      case '<':
        return [key, this.#comparison(operator)];
      case 'in':
      case 'notin': {
        const set = this.#set();
        return [key, operator === 'in' ? (v) => v !== undefined && set.has(v) : (v) => v === undefined || !set.has(v)];
      }
      default:
        throw this.#error(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #comparison(operator: '<' | '>'): Requirement {
    const text = this.#value();
    if (!/^-?[0-9]+$/.test(text)) throw this.#error(`for 'Gt', 'Lt' operators, the value must be an integer`);
    const limit = Number(text);
    return (value) =>
      value !== undefined &&
      /^-?[0-9]+$/.test(value) &&
      (operator === '>' ? Number(value) > limit : Number(value) < limit);
  }

  #set(): Set<string> {
    this.#expect('(');
    const values = new Set<string>();
    for (;;) {
      values.add(this.#value());
      const next = this.#tokens[this.#at++];
      if (next === ')') return values;
      if (next !== ',') throw this.#error(`found '${next ?? ''}', expected: ',' or ')'`);
    }
  }

  #key(): string {
    const key = this.#tokens[this.#at++] ?? '';
    if (!KEY.test(key))
      throw this.#error(`<nil>: Invalid value: ${JSON.stringify(key)}: a valid label key is expected`);
    return key;
  }

  #value(): string {
    const next = this.#peek();
    if (next === undefined || next === ',' || next === ')') return '';
    this.#at++;
    if (!VALUE.test(next))
      throw this.#error(
        `<nil>: Invalid value: ${JSON.stringify(next)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'`,
      );
    return next;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #expect(token: string): void {
    const next = this.#tokens[this.#at++];
    if (next !== token) throw this.#error(`found '${next ?? ''}', expected: '${token}'`);
  }

  #error(why: string): Error {
    return badRequest(`unable to parse requirement: ${why} (in ${JSON.stringify(this.#text)})`);
  }
}
