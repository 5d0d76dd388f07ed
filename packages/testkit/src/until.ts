import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition, never for a time; after the limit it fails and says what it waited for. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  limitMs = 20_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<T>;
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms for ${what}`);
    await sleep(10);
  }
}
