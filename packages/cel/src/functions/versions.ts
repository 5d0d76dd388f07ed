import { opaqueType } from '../types/type.ts';
import { Failure } from '../values/failure.ts';
import { OpaqueValue } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

type Numbers = readonly [major: bigint, minor: bigint, patch: bigint];

/** A semantic version. Build metadata after `+` does not affect the order. */
class Version extends OpaqueValue {
  override readonly type = opaqueType('kubernetes.Semver');
  readonly numbers: Numbers;
  readonly before: readonly string[];

  constructor(numbers: Numbers, before: readonly string[]) {
    super();
    this.numbers = numbers;
    this.before = before;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof Version && order([this, other]) === 0n;
  }
}

const NUMBER = '(0|[1-9]\\d*)';
const WORD = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const FORM = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${WORD}(?:\\.${WORD})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

function read(text: string): Version | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, major = '', minor = '', patch = '', before] = match;
  return new Version([BigInt(major), BigInt(minor), BigInt(patch)], before === undefined ? [] : before.split('.'));
}

/** The lenient form: `v1.02` is read as 1.2.0. */
function normal(text: string): string {
  const match = /^v?([^-+]*)(.*)$/s.exec(text);
  const numbers = (match?.[1] ?? '').split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (numbers.length < 3) numbers.push('0');
  return numbers.join('.') + (match?.[2] ?? '');
}

/** Longer texts are not parsed. */
const MAX_LENGTH = 1000;

function readAs(text: string, isLoose: boolean): Version | undefined {
  return text.length > MAX_LENGTH ? undefined : read(isLoose ? normal(text) : text);
}

function version([text, isLoose = false]: [string, boolean?]): Version {
  const found = readAs(text, isLoose);
  if (found === undefined) throw new Failure(problemOf(text));
  return found;
}

function problemOf(text: string): string {
  return text.split('.').length < 3
    ? 'No Major.Minor.Patch elements found'
    : `invalid semantic version ${JSON.stringify(text)}`;
}

function order([a, b]: [Version, Version]): bigint {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n;
    if (number !== other) return number < other ? -1n : 1n;
  }
  if (a.before.length === 0 || b.before.length === 0) return BigInt(Math.sign(b.before.length - a.before.length));
  for (const [i, word] of a.before.entries()) {
    const other = b.before[i];
    if (other === undefined) return 1n;
    if (word !== other) return wordOrder(word, other);
  }
  return a.before.length < b.before.length ? -1n : 0n;
}

/** Numeric identifiers sort before alphanumeric ones. */
function wordOrder(a: string, b: string): bigint {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left !== right) return left ? -1n : 1n;
  if (left) return BigInt(a) < BigInt(b) ? -1n : 1n;
  return a < b ? -1n : 1n;
}

/** A negative number if the first version is lower, a positive one if it is higher; undefined: one is not a version. */
export function compareVersions(a: string, b: string): number | undefined {
  const [first, second] = [readAs(a, false), readAs(b, false)];
  return first === undefined || second === undefined ? undefined : Number(order([first, second]));
}

const V = 'kubernetes.Semver';
type Loose = [string, boolean];

export const versions: readonly Overload[] = [
  overload('string_to_semver', `semver(string): ${V}`, version as (args: [string]) => Version),
  overload('string_bool_to_semver', `semver(string, bool): ${V}`, version as (args: Loose) => Version),
  overload('is_semver_string', 'isSemver(string): bool', ([text]: [string]) => read(text) !== undefined),
  overload(
    'is_semver_string_bool',
    'isSemver(string, bool): bool',
    ([text, loose]: Loose) => readAs(text, loose) !== undefined,
  ),
  overload('semver_is_greater_than', `${V}::isGreaterThan(${V}): bool`, (two: [Version, Version]) => order(two) > 0n),
  overload('semver_is_less_than', `${V}::isLessThan(${V}): bool`, (two: [Version, Version]) => order(two) < 0n),
  overload('semver_compare_to', `${V}::compareTo(${V}): int`, order),
  overload('semver_major', `${V}::major(): int`, ([one]: [Version]) => one.numbers[0]),
  overload('semver_minor', `${V}::minor(): int`, ([one]: [Version]) => one.numbers[1]),
  overload('semver_patch', `${V}::patch(): int`, ([one]: [Version]) => one.numbers[2]),
];
