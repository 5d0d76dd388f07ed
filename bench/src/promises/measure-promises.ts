import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { commit, type Machine, machine } from '../machine.ts';
import { type MeasuredPromise, measuredPromise } from './measured-promise.ts';
import type { PromiseOptions } from './options.ts';
import { promiseTable } from './promise-table.ts';
import type { PromisedTime } from './promised-time.ts';
import { Systems } from './systems.ts';

export interface PromiseReport {
  readonly machine: Machine;
  readonly commit: string;
  readonly date: string;
  /** the load of the machine over the last minute before the start, by other programs */
  readonly loadBefore: number;
  readonly promises: readonly MeasuredPromise[];
}

/** Measures the promises one after another, prints a table, and writes the file that the options name. */
export async function measurePromises(
  all: readonly PromisedTime[],
  { only, times, json }: PromiseOptions,
  print: (line: string) => void,
): Promise<PromiseReport> {
  const loadBefore = loadavg()[0] as number;
  const measured: MeasuredPromise[] = [];
  const systems = new Systems();
  try {
    for (const promise of all.filter(({ name }) => new RegExp(only).test(name))) {
      const one = measuredPromise(promise, await promise.measure(systems, times || promise.times));
      measured.push(one);
      print(`${one.name}: ${one.times.map((ms) => Math.round(ms)).join(', ')} ms`);
    }
  } finally {
    await systems.stop();
  }
  const report = {
    machine: machine(),
    commit: commit(),
    date: new Date().toISOString(),
    loadBefore,
    promises: measured,
  };
  if (json !== '') writeFileSync(json, `${JSON.stringify(report, null, 1)}\n`);
  print(`\n${promiseTable(measured)}\n\nload of the machine before: ${loadBefore.toFixed(1)}`);
  return report;
}
