import { isUtf8 } from 'node:buffer';
import { badRequest } from '@tidegate/status';
import { MAX_FIELDS, MAX_VALUES, tooManyFields, tooManyValues } from '../body-budget.ts';
import type { Decoded } from './body-notes.ts';
import { readExactly } from './exact.ts';
import { type JsonObject, MAX_DEPTH } from './json.ts';
import { scan } from './scan.ts';

/**
 * Decodes JSON from clients without loss.
 *
 * JSON.parse decodes it. A scan of the bytes shows whether that is enough: if the text has more keys than the value, a
 * key is repeated. If a key is repeated, or a number or string might change, the body is read again by the exact
 * reader.
 */
export function decodeJson(bytes: Uint8Array): Decoded {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!isUtf8(buffer)) throw new Error('it is not valid UTF-8');
    const { keys, values, depth, isLossy } = scan(buffer);
    if (depth > MAX_DEPTH) throw tooDeep();
    if (keys > MAX_FIELDS) throw tooManyFields();
    if (values > MAX_VALUES) throw tooManyValues();
    const text = buffer.toString('utf8');
    const value: unknown = JSON.parse(text);
    return isLossy || keysIn(value) !== keys ? readExactly(text) : { value };
  } catch (error) {
    throw badRequest(`couldn't parse the body of the request as JSON: ${(error as Error).message}`, error);
  }
}

export function tooDeep(): Error {
  return new Error(`exceeded max depth of ${MAX_DEPTH}`);
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  const parts: readonly unknown[] = isList ? value : Object.values(value);
  let keys = isList ? 0 : parts.length;
  for (const part of parts) if (typeof part === 'object' && part !== null) keys += keysIn(part);
  return keys;
}

/** A number of 16 digits or more in JSON without spaces. A match inside a string only costs a second pass. */
const LONG_NUMBER = /[:,[]-?\d{16}/;

/** Decodes JSON that Tidegate has written: valid and without spaces, so only large numbers need the exact reader. */
export function parseOwnJson(bytes: Uint8Array): JsonObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  return (LONG_NUMBER.test(text) ? readExactly(text).value : JSON.parse(text)) as JsonObject;
}
