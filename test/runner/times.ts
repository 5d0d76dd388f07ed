import type { Cost } from './messages.ts';

export interface Measured {
  readonly path: string;
  readonly cost: Cost;
}

const SLOWEST = 20;

/** A report of the time of a run: the slowest files, and the activities that many files have in common. */
export function timesText(files: readonly Measured[], wallMs: number): string {
  const cpuMs = sum(files, ({ cost }) => cost.cpu.ownMs + cost.cpu.childrenMs);
  const slowest = [...files].sort((a, b) => b.cost.wallMs - a.cost.wallMs).slice(0, SLOWEST);
  return [
    `${seconds(wallMs)} s in all; ${files.length} files took ${seconds(sum(files, ({ cost }) => cost.wallMs))} s, and ` +
      `${seconds(cpuMs)} s of CPU time (${seconds(sum(files, ({ cost }) => cost.cpu.ownMs))} s in the tests' own processes)`,
    '',
    table(
      ['slowest files', 's', 'CPU s'],
      slowest.map(({ path, cost }) => [path, seconds(cost.wallMs), seconds(cost.cpu.ownMs + cost.cpu.childrenMs)]),
    ),
    '',
    table(
      ['activity', 'times', 's'],
      causes(files).map(({ cause, count, wallMs: ms }) => [cause, String(count), seconds(ms)]),
    ),
    '',
  ].join('\n');
}

function causes(files: readonly Measured[]) {
  const all = new Map<string, { count: number; wallMs: number }>();
  for (const { cost } of files) {
    for (const [cause, { count, wallMs }] of Object.entries(cost.spent)) {
      const entry = all.get(cause) ?? { count: 0, wallMs: 0 };
      all.set(cause, { count: entry.count + count, wallMs: entry.wallMs + wallMs });
    }
  }
  return [...all]
    .map(([cause, entry]) => ({ cause, ...entry }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.wallMs - a.wallMs);
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
      .join('  ');
  return [head, ...rows].map(line).join('\n');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
