import { setTimeout as sleep } from 'node:timers/promises';
import { timed } from './time-spent.ts';

/** The text for the error; a function if it depends on the state at the end. */
type What = string | (() => string);

/** Waits for a condition, and not for a fixed time. After the limit it fails with the text. */
export function until<T>(what: What, condition: () => T | Promise<T>, limitMs = 20_000): Promise<NonNullable<T>> {
  return timed('waits for a condition', () => waited(what, condition, limitMs));
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
