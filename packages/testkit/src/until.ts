import { setTimeout as sleep } from 'node:timers/promises';
import { booked } from './account.ts';

/** A function where the last words are known only at the end. */
type What = string | (() => string);

/** Waits for a condition, never for a time; after the limit it fails and says what it waited for. */
export function until<T>(what: What, condition: () => T | Promise<T>, limitMs = 20_000): Promise<NonNullable<T>> {
  return booked('waits for a condition', () => waited(what, condition, limitMs));
}

async function waited<T>(what: What, condition: () => T | Promise<T>, limitMs: number): Promise<NonNullable<T>> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<T>;
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms for ${typeof what === 'string' ? what : what()}`);
    await sleep(10);
  }
}
