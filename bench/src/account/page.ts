import { figure, table } from '../tables.ts';
import type { Account } from './account.ts';
import { budgets } from './budgets.ts';
import { STAGES } from './stages.ts';

interface Circumstances {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
}

/** The page: a row for each stage, a column for each operation, in each cell what it costs and what it may cost. */
export function accountPage(accounts: readonly Account[], { commit, date, machine }: Circumstances): string {
  const rows = STAGES.map((stage) => [
    stage,
    ...accounts.map(({ name, stages }) => cell(stages.get(stage) ?? 0, budgets[name]?.stages[stage] ?? 0)),
  ]);
  const sums = accounts.map(({ name, stages }) =>
    cell(
      [...stages.values()].reduce((sum, cost) => sum + cost, 0),
      budgets[name]?.goal ?? 0,
    ),
  );
  return `# Where the CPU time goes

CPU microseconds of all processes for one operation, in each stage: measured / budget. The budgets of an operation add up to its goal. \`npm run bench -- --account\` measures it again and prints this page; [README.md](README.md#account) says how.

Measured at commit ${commit} on ${date}, ${machine}. Other load on the machine makes all figures larger.

${table(['stage', ...accounts.map(({ name }) => name)], [...rows, ['all', ...sums]])}
`;
}

function cell(cost: number, budget: number): string {
  return cost < 0.05 && budget === 0 ? '' : `${rounded(cost)} / ${rounded(budget)}`;
}

function rounded(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value < 0.05 ? '0' : figure(value);
}
