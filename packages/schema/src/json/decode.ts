import { isUtf8 } from 'node:buffer';
import { badRequest } from '@tidegate/status';
import { MOST_FIELDS, MOST_VALUES, tooManyFields, tooManyValues } from '../body-budget.ts';
import type { Decoded } from './body-notes.ts';
import { readExactly } from './exact.ts';
import { type JsonObject, MAX_DEPTH } from './json.ts';
import { scan } from './scan.ts';

/**
 * JSON from outside, with nothing lost and nothing guessed.
 *
 * JSON.parse does the work. A look over the bytes beside it says whether that is enough: the keys in the text are counted
 * against those in the value, so a key that stands twice shows; and where a number or a text might not come out as it was
 * written, the body is read again by a reader that keeps it.
 */
export function decodeJson(bytes: Uint8Array): Decoded {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!isUtf8(buffer)) throw new Error('it is not valid UTF-8');
    const { keys, values, depth, delicate } = scan(buffer);
    if (depth > MAX_DEPTH) throw tooDeep();
    if (keys > MOST_FIELDS) throw tooManyFields();
    if (values > MOST_VALUES) throw tooManyValues();
    const text = buffer.toString('utf8');
    const value: unknown = JSON.parse(text);
    return delicate || keysIn(value) !== keys ? readExactly(text) : { value };
  } catch (error) {
    throw badRequest(`couldn't parse the body of the request as JSON: ${(error as Error).message}`, error);
  }
}

export function tooDeep(): Error {
  return new Error(`exceeded max depth of ${MAX_DEPTH}`);
}

function keysIn(value: unknown): number {
  let keys = 0;
  if (typeof value !== 'object' || value === null) return keys;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) keys += keysIn(item);
    return keys;
  }
  for (const key in value) {
    keys++;
    const field = (value as Record<string, unknown>)[key];
    if (typeof field === 'object' && field !== null) keys += keysIn(field);
  }
  return keys;
}

/** Where a number of so many digits begins, in JSON without spaces. Inside a text it costs a second reading, no more. */
const LONG_NUMBER = /[:,[]-?\d{16}/;

/** An object in our own JSON, without spaces and without doubts: only large numbers need more than JSON.parse. */
export function parseOwnJson(bytes: Uint8Array): JsonObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  return (LONG_NUMBER.test(text) ? readExactly(text).value : JSON.parse(text)) as JsonObject;
}
