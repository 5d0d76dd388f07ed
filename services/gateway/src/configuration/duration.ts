import { OptionError } from '@tidegate/options';

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const WHOLE = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Parses a duration in Go's format, such as `1m30s`, to milliseconds; undefined: invalid. */
export function durationMs(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let ms = 0;
  for (const [, count = '', unit = ''] of text.matchAll(PART)) ms += Number(count) * (UNITS_MS[unit] ?? 0);
  return text.startsWith('-') ? -ms : ms;
}

/** Parses the duration of an option, which must not be negative. */
export function durationOf(option: string, text: string): number {
  const found = durationMs(text);
  if (found !== undefined && found >= 0) return found;
  throw new OptionError(`--${option} takes a time as 30s, 5m or 1m30s, not ${JSON.stringify(text)}`);
}
