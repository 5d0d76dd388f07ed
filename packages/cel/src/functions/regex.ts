import { RE2JS } from 're2js';
import { ArrayList } from '../values/collections.ts';
import { Failure } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import { type Overload, overload } from './overload.ts';
import { patternSize } from './pattern-size.ts';

const MAX_KEPT = 500;
/** A larger pattern takes too long to compile. */
const MAX_PATTERN_SIZE = 20_000;
const kept = new Map<string, RE2JS>();

/** Patterns are RE2's: matching takes time linear in the length of the text. */
export function regexOf(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (patternSize(pattern) > MAX_PATTERN_SIZE) throw new Failure('error parsing regexp: expression too large');
  if (kept.size >= MAX_KEPT) kept.clear();
  try {
    const regex = RE2JS.compile(pattern);
    kept.set(pattern, regex);
    return regex;
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

/** Steps are pattern size times characters: the steps per unit of cost, and the steps that are free. */
const TESTED = { perUnit: 200, free: 1_000_000 };
const FOUND = { perUnit: 2, free: 100_000 };
const LARGE_PATTERN = 1000;
const READING = 5;

/**
 * Charges for large patterns on large texts. Matching is linear but slow then, and Kubernetes' cost only includes the
 * length of the pattern's source.
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

/** Testing whether there is a match is much faster than finding its position. */
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
    // an empty match directly after the last match does not count
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
