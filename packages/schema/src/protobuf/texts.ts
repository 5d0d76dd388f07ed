import type { Json, JsonObject } from '../json/json.ts';

/**
 * The text of a time, with this number of digits after the second. Go writes its zero time, which means no time, as an
 * empty message.
 */
export function timeText({ seconds = 0, nanos = 0 }: JsonObject, digits: number): Json {
  if (seconds === 0 && nanos === 0) return null;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${whole}Z` : `${whole}.${String(nanos).padStart(9, '0').slice(0, digits)}Z`;
}

/** Prints a duration as Go does: `1h2m3.5s`, `300ms`, `0s`. */
export function durationText(nanoseconds: Json): string {
  const sign = Number(nanoseconds) < 0 ? '-' : '';
  // a double is exact up to a hundred days in nanoseconds; longer durations lose their last digits
  const all = Math.abs(Number(nanoseconds));
  if (all === 0) return '0s';
  if (all < 1e3) return `${sign}${all}ns`;
  if (all < 1e6) return `${sign}${all / 1e3}µs`;
  if (all < 1e9) return `${sign}${all / 1e6}ms`;
  const hours = Math.floor(all / 3.6e12);
  const minutes = Math.floor((all % 3.6e12) / 6e10);
  const seconds = (all % 6e10) / 1e9;
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}
