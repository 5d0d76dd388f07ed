import { RE2JS } from 're2js';
import { ArrayList } from '../values/collections.ts';
import { Failure } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import { type Overload, overload } from './overload.ts';
import { patternSize } from './pattern-size.ts';

const MOST_KEPT = 500;
/** Beyond it a pattern takes longer to read than any value is worth. */
const LARGEST_PATTERN = 20_000;
const kept = new Map<string, RE2JS>();

/** Patterns are RE2's: matching takes time in proportion to the text, whatever the pattern is. */
export function regexOf(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (patternSize(pattern) > LARGEST_PATTERN) throw new Failure('error parsing regexp: expression too large');
  if (kept.size >= MOST_KEPT) kept.clear();
  try {
    const regex = RE2JS.compile(pattern);
    kept.set(pattern, regex);
    return regex;
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

/** Steps, each of them once for a character: as many as a unit of cost is worth, and as many as are free. */
const TESTED = { perUnit: 200, free: 1_000_000 };
const FOUND = { perUnit: 2, free: 100_000 };
const LARGE_PATTERN = 1000;
const READING = 5;

/**
 * Proportional is not fast: a large pattern goes through a large text slowly, and what Kubernetes counts for it knows only
 * how long the pattern is written. So what is large costs more here.
 */
function pay(regex: RE2JS, text: string, { meter, rate }: { meter: Meter; rate: typeof TESTED }): void {
  const size = regex.programSize();
  const steps = size * text.length;
  if (steps > rate.free) meter.spend(Math.floor(steps / rate.perUnit));
  if (size > LARGE_PATTERN) meter.spend(size * READING);
}

function matches([text, pattern]: [string, string], meter: Meter): boolean {
  const regex = regexOf(pattern);
  pay(regex, text, { meter, rate: TESTED });
  return regex.test(text);
}

/** Whether there is something to be found is known much sooner than where it is. */
function finding(text: string, pattern: string, meter: Meter): RE2JS | undefined {
  const regex = regexOf(pattern);
  pay(regex, text, { meter, rate: TESTED });
  if (!regex.test(text)) return undefined;
  pay(regex, text, { meter, rate: FOUND });
  return regex;
}

function find([text, pattern]: [string, string], meter: Meter): string {
  const matcher = finding(text, pattern, meter)?.matcher(text);
  return matcher?.find() ? (matcher.group() ?? '') : '';
}

function findAll([text, pattern, most = -1n]: [string, string, bigint?], meter: Meter): ArrayList {
  const found: string[] = [];
  const matcher = finding(text, pattern, meter)?.matcher(text);
  let end = -1;
  while (matcher !== undefined && (most < 0n || found.length < most) && matcher.find()) {
    // nothing that is found right behind the last one is no find of its own
    const isNew = matcher.end() > matcher.start() || matcher.start() !== end;
    if (isNew) found.push(matcher.group() ?? '');
    end = matcher.end();
  }
  return new ArrayList(found);
}

export const regex: readonly Overload[] = [
  overload('matches', 'matches(string, string): bool', matches),
  overload('matches_string', 'string::matches(string): bool', matches),
  overload('string_find_string', 'string::find(string): string', find),
  overload(
    'string_find_all_string',
    'string::findAll(string): list(string)',
    findAll as (args: [string, string], meter: Meter) => ArrayList,
  ),
  overload(
    'string_find_all_string_int',
    'string::findAll(string, int): list(string)',
    findAll as (args: [string, string, bigint], meter: Meter) => ArrayList,
  ),
];
