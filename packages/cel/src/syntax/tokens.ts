import type { Issue } from './source.ts';

export type TokenKind = 'bytes' | 'double' | 'end' | 'identifier' | 'int' | 'punctuation' | 'string' | 'uint';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const BLANK = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0x[0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?/y;
const PUNCTUATION = /==|!=|<=|>=|&&|\|\||[[\]{}().,:?<>!+\-*/%]/y;
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\u0060]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2})`;
const QUOTED = new RegExp(
  [
    String.raw`[bB]?[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`,
    `[bB]?"""(?:${ESCAPE}|(?!""")[^\\\\])*"""`,
    `[bB]?'''(?:${ESCAPE}|(?!''')[^\\\\])*'''`,
    `[bB]?"(?:${ESCAPE}|[^\\\\"\\n\\r])*"`,
    `[bB]?'(?:${ESCAPE}|[^\\\\'\\n\\r])*'`,
  ].join('|'),
  'y',
);
/** the invalid start of a token, such as a string without its end */
const BROKEN =
  /[bB]?[rR]?(?:"(?:\\[abfnrtv"'\\?`]|[^\\"\n\r])*(?:\\.?)?|'(?:\\[abfnrtv"'\\?`]|[^\\'\n\r])*(?:\\.?)?)|[&|=][^\n]?|./uy;

/** The tokens of an expression, with an end token. Invalid characters are reported and skipped. */
export function tokensOf(source: string, issues: Issue[]): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  for (;;) {
    at += match(BLANK)?.length ?? 0;
    if (at >= source.length) break;
    const token = tokenAt(at, match);
    if (token !== undefined) {
      tokens.push(token);
      at += token.text.length;
      continue;
    }
    const text = match(BROKEN) ?? source.charAt(at);
    issues.push({ at, message: `Syntax error: token recognition error at: '${text}'` });
    at += text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
  return tokens;
}

function tokenAt(at: number, match: (pattern: RegExp) => string | undefined): Token | undefined {
  const quoted = match(QUOTED);
  if (quoted !== undefined) return { kind: /^[rR]?[bB]/.test(quoted) ? 'bytes' : 'string', text: quoted, at };
  const identifier = match(IDENTIFIER);
  if (identifier !== undefined) return { kind: 'identifier', text: identifier, at };
  const number = match(NUMBER);
  if (number !== undefined) return { kind: numberKind(number), text: number, at };
  const punctuation = match(PUNCTUATION);
  return punctuation === undefined ? undefined : { kind: 'punctuation', text: punctuation, at };
}

function numberKind(text: string): TokenKind {
  if (/[uU]$/.test(text)) return 'uint';
  return !text.startsWith('0x') && /[.eE]/.test(text) ? 'double' : 'int';
}
