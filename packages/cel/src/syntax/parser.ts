import type { Expression, MapEntry } from './expression.ts';
import { readBytes, readInt, readText, readUint } from './literals.ts';
import { expand } from './macros.ts';
import { call, ident, list, literal, map, select } from './nodes.ts';
import { type Issue, SyntaxIssue } from './source.ts';
import { type Token, tokensOf } from './tokens.ts';

export type Parsed = { readonly expression: Expression } | { readonly issues: readonly Issue[] };

const MAX_LENGTH = 100_000;
/** The maximum depth. Recursive walks over the tree do not overflow the stack at this depth. */
const MAX_DEPTH = 250;

/** Parses an expression and expands its macros. */
export function parse(source: string): Parsed {
  if (source.length > MAX_LENGTH) {
    return {
      issues: [
        { at: 0, message: `expression code point size exceeds limit: size: ${source.length}, limit ${MAX_LENGTH}` },
      ],
    };
  }
  const issues: Issue[] = [];
  try {
    const expression = new Parser(source, issues).whole();
    return issues.length > 0 ? { issues } : { expression };
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    return { issues: [...issues, error.issue] };
  }
}

const BEGINNINGS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const INDEX_BEGINNINGS = BEGINNINGS.replace("'!', ", "'!', '?', ");

const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

const LEVELS: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['<', '<=', '>', '>=', '==', '!=', 'in']),
  new Set(['+', '-']),
  new Set(['*', '/', '%']),
];

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  #next = 0;
  #nesting = 0;

  constructor(source: string, issues: Issue[]) {
    this.#issues = issues;
    this.#tokens = tokensOf(source, issues);
  }

  whole(): Expression {
    const expression = this.#expression(BEGINNINGS);
    const { kind, text, at } = this.#token;
    if (kind !== 'end') {
      const isLast = this.#after.kind === 'end';
      throw new SyntaxIssue(at, `${isLast ? 'extraneous' : 'mismatched'} input '${text}' expecting <EOF>`);
    }
    return expression;
  }

  get #token(): Token {
    // reading past the end returns the end token again
    return this.#tokens[Math.min(this.#next, this.#tokens.length - 1)] as Token;
  }

  get #after(): Token {
    return this.#tokens[Math.min(this.#next + 1, this.#tokens.length - 1)] as Token;
  }

  #is(text: string): boolean {
    return this.#token.kind === 'punctuation' && this.#token.text === text;
  }

  #take(text: string): boolean {
    const found = this.#is(text);
    if (found) this.#next++;
    return found;
  }

  #expect(text: string): void {
    if (this.#take(text)) return;
    if (this.#skips([text])) {
      this.#next++;
      return;
    }
    const { at, kind, text: found } = this.#token;
    const isMissing = text === ')' || text === ']' || (text === ':' && kind !== 'end' && kind !== 'punctuation');
    const words = isMissing ? `missing '${text}' at '${found}'` : `mismatched input '${found}' expecting '${text}'`;
    throw new SyntaxIssue(at, words);
  }

  /** Reports and skips one extraneous token if an expected token follows it. */
  #skips(expected: readonly string[]): boolean {
    const { at, kind, text } = this.#token;
    const { kind: after, text: next } = this.#after;
    if (kind === 'end' || after !== 'punctuation' || !expected.includes(next)) return false;
    const words = expected.map((one) => `'${one}'`).join(', ');
    const expectedText = expected.length === 1 ? words : `{${words}}`;
    this.#issues.push({ at, message: `Syntax error: extraneous input '${text}' expecting ${expectedText}` });
    this.#next++;
    return true;
  }

  /** Limits the depth of expressions. */
  #checked<E extends Expression>(expression: E): E {
    if (expression.depth > MAX_DEPTH) throw this.#tooDeep(expression.at);
    return expression;
  }

  #tooDeep(at: number): SyntaxIssue {
    return new SyntaxIssue(at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
  }

  #expression(beginnings: string): Expression {
    if (++this.#nesting > MAX_DEPTH) throw this.#tooDeep(this.#token.at);
    const condition = this.#logical('||', beginnings);
    const { at } = this.#token;
    let expression = condition;
    if (this.#take('?')) {
      const yes = this.#logical('||', BEGINNINGS);
      this.#expect(':');
      const no = this.#expression(BEGINNINGS);
      expression = this.#checked(call(at, '_?_:_', [condition, yes, no]));
    }
    this.#nesting--;
    return expression;
  }

  /** Long chains become balanced trees. */
  #logical(operator: '||' | '&&', beginnings: string): Expression {
    const next = (words: string): Expression =>
      operator === '||' ? this.#logical('&&', words) : this.#binary(0, words);
    const terms = [next(beginnings)];
    const places: number[] = [];
    while (this.#is(operator)) {
      places.push(this.#token.at);
      this.#next++;
      terms.push(next(BEGINNINGS));
    }
    const tree = (from: number, to: number): Expression => {
      if (from === to) return terms[from] as Expression;
      const middle = (from + to + 1) >> 1;
      return call(places[middle - 1] as number, `_${operator}_`, [tree(from, middle - 1), tree(middle, to)]);
    };
    return this.#checked(tree(0, terms.length - 1));
  }

  #binary(level: number, beginnings: string): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary(beginnings);
    let left = this.#binary(level + 1, beginnings);
    for (;;) {
      const { kind, text, at } = this.#token;
      const isOperator = kind === 'punctuation' || (kind === 'identifier' && text === 'in');
      if (!isOperator || !operators.has(text)) return left;
      this.#next++;
      const right = this.#binary(level + 1, BEGINNINGS);
      left = this.#checked(call(at, text === 'in' ? '@in' : `_${text}_`, [left, right]));
    }
  }

  #unary(beginnings: string): Expression {
    const { at, text } = this.#token;
    if (!this.#is('!') && !this.#is('-')) return this.#member(beginnings);
    let count = 0;
    if (text === '-' && this.#after.kind !== 'identifier' && isNumber(this.#after)) return this.#member(beginnings);
    while (this.#take(text)) count++;
    const operand = this.#member(BEGINNINGS);
    return count % 2 === 0 ? operand : this.#checked(call(at, text === '!' ? '!_' : '-_', [operand]));
  }

  #member(beginnings: string): Expression {
    let expression = this.#primary(beginnings);
    for (;;) {
      const { at } = this.#token;
      if (this.#take('.')) expression = this.#dotted(expression, at);
      else if (this.#take('[')) {
        const isOptional = this.#take('?');
        const index = this.#expression(isOptional ? BEGINNINGS : INDEX_BEGINNINGS);
        this.#expect(']');
        expression = call(at, isOptional ? '_[?_]' : '_[_]', [expression, index]);
      } else return expression;
      this.#checked(expression);
    }
  }

  #dotted(operand: Expression, at: number): Expression {
    const isOptional = this.#take('?');
    const { kind, text: name, at: here } = this.#token;
    if (kind !== 'identifier' || name === 'in' || isWord(name)) throw this.#noField();
    this.#next++;
    const open = this.#token.at;
    if (isOptional) return call(at, '_?._', [operand, literal(here, name)]);
    if (!this.#take('(')) return select(at, operand, name);
    const args = this.#arguments();
    return this.#called(open, name, { args, target: operand });
  }

  #noField(): SyntaxIssue {
    const { kind, text, at } = this.#token;
    if (kind === 'end') return new SyntaxIssue(at, "no viable alternative at input '.'");
    return new SyntaxIssue(at, `no viable alternative at input '.${text}'`);
  }

  #called(at: number, name: string, { args, target }: { args: Expression[]; target?: Expression }): Expression {
    const expanded = expand(name, { at, target, args });
    if (expanded === undefined) return call(at, name, args, target);
    if ('kind' in expanded) return this.#checked(expanded);
    this.#issues.push(expanded);
    return literal(at, null);
  }

  #arguments(): Expression[] {
    const args: Expression[] = [];
    if (this.#take(')')) return args;
    do args.push(this.#expression(BEGINNINGS));
    while (this.#take(','));
    this.#expect(')');
    return args;
  }

  #primary(beginnings: string): Expression {
    const { kind, text, at } = this.#token;
    switch (kind) {
      case 'int':
      case 'uint':
      case 'double':
        this.#next++;
        return this.#number(text, { at, kind, isNegative: false });
      case 'string':
      case 'bytes': {
        this.#next++;
        const value = kind === 'string' ? readText(text) : readBytes(text);
        if (value === undefined) this.#issues.push({ at, message: 'invalid string literal' });
        return literal(at, value ?? '');
      }
      case 'identifier':
        if (text !== 'in') return this.#named();
        break;
      case 'punctuation':
        if (text === '-' && isNumber(this.#after)) {
          const { kind: numberKind, text: digits } = this.#after;
          this.#next += 2;
          return this.#number(digits, { at, kind: numberKind, isNegative: true });
        }
        if (text === '.' && this.#after.kind === 'identifier') return this.#named();
        if (this.#take('(')) {
          const inner = this.#expression(BEGINNINGS);
          this.#expect(')');
          return inner;
        }
        if (this.#take('[')) return this.#list(at);
        if (this.#take('{')) return this.#map(at);
        break;
      case 'end':
    }
    return this.#unexpected(beginnings);
  }

  /** Reports and skips one extraneous token if the next one can begin an expression. */
  #unexpected(beginnings: string): Expression {
    const { kind, text, at } = this.#token;
    const { kind: after, text: next } = this.#after;
    const isNext = after !== 'end' && (after !== 'punctuation' || '[{(.-!'.includes(next));
    if (kind === 'end' || !isNext) throw new SyntaxIssue(at, `mismatched input '${text}' expecting ${beginnings}`);
    this.#issues.push({ at, message: `Syntax error: extraneous input '${text}' expecting ${beginnings}` });
    this.#next++;
    return this.#member(beginnings);
  }

  #number(text: string, { at, kind, isNegative }: { at: number; kind: string; isNegative: boolean }): Expression {
    if (kind === 'double') return literal(at, isNegative ? -Number(text) : Number(text));
    const value = kind === 'int' ? readInt(text, isNegative) : isNegative ? undefined : readUint(text);
    if (value === undefined) this.#issues.push({ at, message: `invalid ${kind} literal` });
    return literal(at, value ?? 0n);
  }

  #named(): Expression {
    const isRooted = this.#take('.');
    const { text, at } = this.#token;
    this.#next++;
    if (!isRooted && isWord(text)) return literal(at, WORDS[text]);
    const name = isRooted ? `.${text}` : text;
    const open = this.#token.at;
    if (this.#take('(')) return this.#called(open, name, { args: this.#arguments() });
    if (RESERVED.has(text)) this.#issues.push({ at, message: `reserved identifier: ${text}` });
    const struct = this.#struct(name);
    return struct ?? ident(at, name);
  }

  /** `some.Type{field: value}` */
  #struct(first: string): Expression | undefined {
    let end = this.#next;
    let name = first;
    while (this.#tokens[end]?.text === '.' && this.#tokens[end + 1]?.kind === 'identifier') {
      name += `.${this.#tokens[end + 1]?.text}`;
      end += 2;
    }
    const brace = this.#tokens[end];
    if (brace?.kind !== 'punctuation' || brace.text !== '{') return undefined;
    this.#next = end + 1;
    const fields: Array<{ name: string; value: Expression }> = [];
    while (!this.#take('}')) {
      this.#take('?');
      const field = this.#token.text;
      this.#next++;
      this.#expect(':');
      fields.push({ name: field, value: this.#expression(BEGINNINGS) });
      if (!this.#take(',') && !this.#is('}')) this.#expect('}');
    }
    const depth = fields.reduce((most, { value }) => Math.max(most, value.depth), 0) + 1;
    return this.#checked({ kind: 'struct', at: brace.at, depth, name, fields });
  }

  #list(at: number): Expression {
    const items: Expression[] = [];
    const optional = new Set<number>();
    while (!this.#take(']')) {
      if (this.#take('?')) optional.add(items.length);
      items.push(this.#expression(BEGINNINGS));
      if (!this.#take(',') && !this.#is(']')) this.#unclosed(']');
    }
    return this.#checked(list(at, items, optional));
  }

  /** Handles a token that is neither the end of a list or map nor a comma. */
  #unclosed(end: string): void {
    if (this.#skips([end, ','])) {
      this.#take(',');
      return;
    }
    const { at, text } = this.#token;
    throw new SyntaxIssue(at, `mismatched input '${text}' expecting {'${end}', ','}`);
  }

  #map(at: number): Expression {
    const entries: MapEntry[] = [];
    while (!this.#take('}')) {
      const isOptional = this.#take('?');
      const key = this.#expression(BEGINNINGS);
      this.#expect(':');
      entries.push({ key, value: this.#expression(BEGINNINGS), isOptional });
      if (!this.#take(',') && !this.#is('}')) this.#unclosed('}');
    }
    return this.#checked(map(at, entries));
  }
}

const WORDS = { true: true, false: false, null: null } as const;

function isWord(text: string): text is keyof typeof WORDS {
  return Object.hasOwn(WORDS, text);
}

function isNumber({ kind }: Token): boolean {
  return kind === 'int' || kind === 'uint' || kind === 'double';
}
