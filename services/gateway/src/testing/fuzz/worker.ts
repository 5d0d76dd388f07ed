import { parentPort, workerData } from 'node:worker_threads';
import { fuzz } from './fuzz.ts';

/** The task of the worker thread, which limits the memory. */
export interface FuzzTask {
  readonly seed: number;
  readonly rounds: number;
}

export interface FuzzAnswer {
  readonly findings: readonly string[];
  readonly taken: Readonly<Record<string, number>>;
}

const { seed, rounds } = workerData as FuzzTask;
const { findings, taken } = fuzz({ seed, shouldContinue: (round) => round < rounds });
const answer: FuzzAnswer = {
  taken,
  findings: findings.map(
    ({ target, round, input, error }) =>
      `${target}, round ${round}: ${(error as Error).stack}\n${input.toString('latin1').slice(0, 500)}`,
  ),
};
parentPort?.postMessage(answer);
