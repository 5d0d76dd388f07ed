import { NEEDS } from '@tidegate/testkit';
import { LEFT_OUT_IN_CI } from './left-out-in-ci.ts';

/** A skipped test, with the reason. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
  /** a skipped group, whose number of tests is unknown */
  readonly isGroup: boolean;
}

/** One line for each missing tool, and one for each test that was skipped for another reason. */
export function skippedText(skipped: readonly Skipped[]): string {
  const lines = [...Map.groupBy(skipped, ({ reason }) => reason)].flatMap(([reason, all]) =>
    reason.startsWith(NEEDS) ? [`left out: ${countOf(all)} ${needOf(reason, all)}`] : all.map(lineOf),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** The skipped tests that must not be skipped in CI. */
export function missedInCi(skipped: readonly Skipped[]): Skipped[] {
  return skipped.filter(
    ({ name, reason }) => !LEFT_OUT_IN_CI.some((entry) => entry.name === name && entry.reason === reason),
  );
}

/** The names that are listed for CI although no test of the run has them, as after a test was renamed. */
export function listedWithoutTest(passed: readonly string[], skipped: readonly Skipped[]): string[] {
  const names = new Set(passed);
  for (const { name } of skipped) names.add(name);
  return LEFT_OUT_IN_CI.map(({ name }) => name).filter((name) => !names.has(name));
}

export function lineOf({ name, reason }: Skipped): string {
  return `skipped: ${name}: ${reason}`;
}

function countOf(all: readonly Skipped[]): string {
  const groups = all.filter(({ isGroup }) => isGroup).length;
  const parts = [counted(all.length - groups, 'test'), counted(groups, 'group of tests', 'groups of tests')];
  return parts.filter((part) => part !== '').join(' and ');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
}

function needOf(reason: string, { length }: readonly Skipped[]): string {
  return length === 1 ? reason : reason.replace(NEEDS, 'need ');
}
