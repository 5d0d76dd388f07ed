import { RE2JS } from 're2js';
import { ArrayList } from '../values/collections.ts';
import { Failure } from '../values/failure.ts';
import { type Overload, overload } from './overload.ts';

const MOST_KEPT = 500;
const kept = new Map<string, RE2JS>();

/** Patterns are RE2's: matching takes time in proportion to the text, whatever the pattern is. */
export function regexOf(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  try {
    const regex = RE2JS.compile(pattern);
    kept.set(pattern, regex);
    return regex;
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

const matches = ([text, pattern]: [string, string]): boolean => regexOf(pattern).matcher(text).find();

function find([text, pattern]: [string, string]): string {
  const matcher = regexOf(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll([text, pattern, most = -1n]: [string, string, bigint?]): ArrayList {
  const matcher = regexOf(pattern).matcher(text);
  const found: string[] = [];
  let end = -1;
  while ((most < 0n || found.length < most) && matcher.find()) {
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
    findAll as (args: [string, string]) => ArrayList,
  ),
  overload(
    'string_find_all_string_int',
    'string::findAll(string, int): list(string)',
    findAll as (args: [string, string, bigint]) => ArrayList,
  ),
];
