import { ApiError } from '@tidegate/status';
import { Random } from '@tidegate/testkit';
import type { Target } from './mutate.ts';
import { targets } from './targets.ts';

interface FuzzOptions {
  readonly seed: number;
  /** Called before each round of inputs. */
  readonly shouldContinue: (round: number) => boolean;
  /** only targets whose names contain this text */
  readonly only?: string;
}

export interface Finding {
  readonly target: string;
  readonly round: number;
  readonly input: Buffer;
  readonly error: unknown;
}

interface Report {
  inputs: number;
  /** the number of accepted inputs, by target */
  taken: Record<string, number>;
  findings: Finding[];
  slowestMs: number;
}

/** The limit of CPU time for one input, generous for slow machines: it detects targets that hang. */
const MAX_CPU_MS = 6000;
const MAX_FINDINGS = 20;

/**
 * Gives each target unusual inputs, one after another.
 *
 * Invariant: each input is either accepted, with a consistent result, or rejected with an ApiError of the client (4xx),
 * in bounded time. The inputs of a round depend only on the seed, the target and the round, so that a finding can be
 * reproduced.
 */
export function fuzz({ seed, shouldContinue, only = '' }: FuzzOptions): Report {
  const report: Report = { inputs: 0, taken: {}, findings: [], slowestMs: 0 };
  const chosen = targets.filter(({ name }) => name.includes(only));
  for (let round = 0; shouldContinue(round) && report.findings.length < MAX_FINDINGS; round++) {
    for (const [i, target] of chosen.entries()) {
      const input = target.input(new Random((seed * 31 + i) * 1_000_003 + round));
      const error = runTarget(target, input, report);
      if (error !== undefined) report.findings.push({ target: target.name, round, input, error });
    }
  }
  return report;
}

/** What went wrong with an input; undefined: nothing. */
function runTarget({ name, take }: Target, input: Buffer, report: Report): unknown {
  report.inputs++;
  const before = process.cpuUsage();
  try {
    take(input);
    report.taken[name] = (report.taken[name] ?? 0) + 1;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code < 400 || error.code >= 500) return error;
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  report.slowestMs = Math.max(report.slowestMs, ms);
  return ms > MAX_CPU_MS ? new Error(`it took ${ms.toFixed(0)} ms`) : undefined;
}
