import { OptionError } from '@tidegate/options';

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const PART = /(\d+(?:\.\d+)?)(ms|h|m|s)/y;

/** Milliseconds of a duration in Go's form, such as 1m30s; undefined: it is none. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  let total = 0;
  let at = 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (found === null) return undefined;
    total += Number(found[1]) * (UNITS[found[2] as string] as number);
    at = PART.lastIndex;
  }
  return text === '' ? undefined : total;
}

/** The same of an option. */
export function durationOf(option: string, text: string): number {
  const found = durationMs(text);
  if (found !== undefined) return found;
  throw new OptionError(`--${option} takes a time as 30s, 5m or 1m30s, not ${JSON.stringify(text)}`);
}
