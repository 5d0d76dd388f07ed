import { ApiError } from '@tidegate/status';
import { Random } from '@tidegate/testkit';
import type { Target } from './mutate.ts';
import { targets } from './targets.ts';

interface FuzzOptions {
  readonly seed: number;
  /** Asked before each round of inputs. */
  readonly goesOn: (round: number) => boolean;
  /** targets whose names contain it */
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
  /** those that were taken */
  taken: Record<string, number>;
  findings: Finding[];
  slowestMs: number;
}

/** What one input may cost, of the processor's time, on a slow machine too: a door that hangs takes for ever. */
const MOST_CPU_MS = 6000;
const ENOUGH_FINDINGS = 20;

/**
 * Gives every door inputs that nobody sends, one after another.
 *
 * Invariant: what is met is a value that holds what it promises, or an ApiError of the client's (4xx), in bounded time.
 * The inputs of a round follow from the seed, the door and the round alone, so that a finding can be met again.
 */
export function fuzz({ seed, goesOn, only = '' }: FuzzOptions): Report {
  const report: Report = { inputs: 0, taken: {}, findings: [], slowestMs: 0 };
  const chosen = targets.filter(({ name }) => name.includes(only));
  for (let round = 0; goesOn(round) && report.findings.length < ENOUGH_FINDINGS; round++) {
    for (const [i, target] of chosen.entries()) {
      const input = target.input(new Random((seed * 31 + i) * 1_000_003 + round));
      const error = meet(target, input, report);
      if (error !== undefined) report.findings.push({ target: target.name, round, input, error });
    }
  }
  return report;
}

/** What is wrong with how an input was met, if anything is. */
function meet({ name, take }: Target, input: Buffer, report: Report): unknown {
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
  return ms > MOST_CPU_MS ? new Error(`it took ${ms.toFixed(0)} ms`) : undefined;
}
