import { type FileCoverage, rangesText } from './file-coverage.ts';

const LEAST_COVERED = 10;

interface Share {
  readonly covered: number;
  readonly total: number;
}

/** The page of test/coverage.md. */
export function coveragePage(files: readonly FileCoverage[], command: string): string {
  const rooms = Map.groupBy(files, ({ path }) => path.split('/').slice(0, 2).join('/'));
  const rows = [...rooms].sort(([a], [b]) => a.localeCompare(b));
  const least = [...files].sort((a, b) => b.missed.length - a.missed.length).slice(0, LEAST_COVERED);
  return [
    '# Coverage',
    '',
    `The lines and branches of \`packages/*/src\` and \`services/*/src\` that the tests run, in their own processes and in those that they start. Written by \`${command}\`. A process that a test kills reports no coverage. A branch is a function, or a block that was not entered as often as the code around it.`,
    '',
    ...table(
      ['', 'lines', 'covered', 'branches', 'covered'],
      [...rows, ['all', files] as const].map(([name, all]) => roomRow(name, all)),
    ),
    '',
    '## The files with the most lines that are not tested',
    '',
    ...table(
      ['file', 'lines not run', 'of', 'branches covered', 'which'],
      least.map(({ path, missed, lines, branches }) => [
        `\`${path}\``,
        String(missed.length),
        String(lines.total),
        percent(branches),
        rangesText(missed),
      ]),
    ),
    '',
  ].join('\n');
}

function roomRow(name: string, files: readonly FileCoverage[]): string[] {
  const lines = sum(files.map((file) => file.lines));
  const branches = sum(files.map((file) => file.branches));
  return [name, String(lines.total), percent(lines), String(branches.total), percent(branches)];
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function sum(shares: readonly Share[]): Share {
  return shares.reduce((a, b) => ({ covered: a.covered + b.covered, total: a.total + b.total }), {
    covered: 0,
    total: 0,
  });
}

function percent({ covered, total }: Share): string {
  return total === 0 ? '-' : `${((100 * covered) / total).toFixed(1)} %`;
}
