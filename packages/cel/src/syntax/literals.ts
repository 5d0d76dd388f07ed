import { Uint } from '../values/value.ts';

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '`': 96,
  '?': 63,
};

/** Decodes a string literal; undefined if it has an escape that is not a valid character. */
export function readText(token: string): string | undefined {
  const { body, isRaw } = unquote(token);
  if (isRaw || !body.includes('\\')) return body;
  let valid = true;
  const text = body.replace(ESCAPES, (escaped) => {
    const code = codeOf(escaped.slice(1));
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      valid = false;
      return '';
    }
    return String.fromCodePoint(code);
  });
  return valid ? text : undefined;
}

const ESCAPES = /\\(?:U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|[\s\S])/g;

/** Decodes a bytes literal, in which numeric escapes are bytes and not characters. */
export function readBytes(token: string): Uint8Array | undefined {
  const { body, isRaw } = unquote(token);
  if (isRaw) return Buffer.from(body);
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of body.matchAll(ESCAPES)) {
    const escaped = match[0].slice(1);
    if (/^[uU]/.test(escaped)) return undefined;
    parts.push(Buffer.from(body.slice(from, match.index)), Buffer.from([codeOf(escaped)]));
    from = match.index + match[0].length;
  }
  parts.push(Buffer.from(body.slice(from)));
  return new Uint8Array(Buffer.concat(parts));
}

function unquote(token: string): { body: string; isRaw: boolean } {
  const start = token.search(/["']/);
  const isRaw = /[rR]/.test(token.slice(0, start));
  const quoted = token.slice(start).replace(/\r\n?/g, '\n');
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(width, -width), isRaw };
}

function codeOf(escaped: string): number {
  if (/^[xXuU]/.test(escaped)) return Number.parseInt(escaped.slice(1), 16);
  if (/^[0-3]/.test(escaped)) return Number.parseInt(escaped, 8);
  return SIMPLE[escaped] ?? escaped.charCodeAt(0);
}

/** Returns undefined if the number is too large. */
export function readInt(text: string, isNegative: boolean): bigint | undefined {
  const value = isNegative ? -BigInt(text) : BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

export function readUint(text: string): Uint | undefined {
  const value = BigInt(text.slice(0, -1));
  return BigInt.asUintN(64, value) === value ? new Uint(value) : undefined;
}
