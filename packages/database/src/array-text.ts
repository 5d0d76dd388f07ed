/**
 * Writes arrays as PostgreSQL's array literals, by joining. The driver's own serializer needs four calls for each
 * element, which for a commit with hundreds of elements takes longer than the commit.
 */
export function numberArray(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}

export function booleanArray(values: readonly boolean[]): string {
  return `{${values.join(',')}}`;
}

export function textArray(values: readonly string[]): string {
  if (values.length === 0) return '{}';
  const joined = values.join('","');
  // where an element needs escaping, the joined text has a backslash, or more quotes than the separators have
  if (joined.includes('\\') || countQuotes(joined) !== 2 * (values.length - 1)) {
    return `{"${values.map((value) => value.replace(/["\\]/g, '\\$&')).join('","')}"}`;
  }
  return `{"${joined}"}`;
}

function countQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

/** bytea in PostgreSQL's hexadecimal form; the parts are joined without a copy of their bytes. */
export function byteaText(parts: readonly Uint8Array[]): string {
  let text = '\\x';
  for (const part of parts) text += asBuffer(part).hexSlice();
  return text;
}

export function asBuffer(bytes: Uint8Array): Buffer & { hexSlice(): string } {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer as Buffer & { hexSlice(): string };
}
