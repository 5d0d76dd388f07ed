import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { type Measurement, makePlace, measure, type Place } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { scenarios } from './scenarios.ts';
import { figure, ratioTable, resultTable } from './tables.ts';
import { ownTarget, peerTarget, type Target } from './target.ts';

export interface Report {
  machine: { cpus: number; model: string; memoryGib: number; node: string };
  commit: string;
  date: string;
  options: BenchOptions;
  measurements: Measurement[];
}

/** Runs the scenarios, each on every target before the next, so that all of them see the same machine. */
export async function bench(options: BenchOptions, say: (line: string) => void): Promise<Report> {
  const peer = options.peer === '' ? [] : [peerTarget(options.peer, options.peerToken, options.peerProcs)];
  const own = await ownTarget(options.dataDir);
  try {
    const report = await run([own, ...peer], options, say);
    if (options.json !== '') writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`);
    tell(report, options, say);
    return report;
  } finally {
    await own.stop();
  }
}

async function run(targets: readonly Target[], options: BenchOptions, say: (line: string) => void): Promise<Report> {
  const namespace = `bench-${Date.now().toString(36)}`;
  const places: Array<[Target, Place]> = [];
  for (const target of targets) {
    places.push([target, await makePlace(target, namespace, 'ConfigMap')]);
    if (options.custom) places.push([target, await makePlace(target, `${namespace}-custom`, 'Record')]);
  }
  const wanted = new RegExp(options.only);
  const measurements: Measurement[] = [];
  for (const scenario of scenarios) {
    if (scenario.operation !== 'create' && !wanted.test(scenario.name)) continue;
    for (const [target, place] of places) {
      if (place.subject === 'Record' && scenario.operation === 'update') continue;
      const measured = await measure(target, place, scenario, options.scale);
      measurements.push(measured);
      const { perSecond, p50, p99, cpu, errors, missing } = measured;
      const trouble =
        Object.keys(errors).length > 0 || missing > 0 ? `  errors ${JSON.stringify(errors)}, missing ${missing}` : '';
      say(
        `${target.name.padEnd(8)} ${measured.scenario.padEnd(34)} ${figure(perSecond)}/s  p50 ${figure(p50)} ms  p99 ${figure(p99)} ms  ${figure(cpu)} us CPU${trouble}`,
      );
    }
  }
  return {
    machine: machine(),
    commit: commit(),
    date: new Date().toISOString(),
    options: { ...options, peerToken: '' },
    measurements,
  };
}

function tell(report: Report, options: BenchOptions, say: (line: string) => void): void {
  const of = (name: string) => report.measurements.filter((m) => m.target === name);
  say(`\n${resultTable(of('tidegate'))}`);
  if (options.peer !== '') say(`\n${resultTable(of('peer'))}\n\n${ratioTable(of('tidegate'), of('peer'))}`);
  if (options.compare === '') return;
  const earlier = JSON.parse(readFileSync(options.compare, 'utf8')) as Report;
  say(
    `\nagainst ${earlier.commit} of ${earlier.date}\n\n${ratioTable(
      of('tidegate'),
      earlier.measurements.filter((m) => m.target === 'tidegate'),
    )}`,
  );
}

function machine(): Report['machine'] {
  const all = cpus();
  return {
    cpus: all.length,
    model: all[0]?.model ?? '',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
