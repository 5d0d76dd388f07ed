import { readFileSync, writeFileSync } from 'node:fs';
import { isClusterOperation, type Operation } from './generator/operations.ts';
import { commit, type Machine, machine } from './machine.ts';
import { type BenchNamespace, createNamespace, type Measurement, measure } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { scenarios } from './scenarios.ts';
import { figure, ratioTable, resultTable } from './tables.ts';
import { ownTarget, peerTarget, type Target } from './target.ts';

export interface Report {
  machine: Machine;
  commit: string;
  date: string;
  options: BenchOptions;
  measurements: Measurement[];
}

/** Runs each scenario on every target before the next one, so that the conditions are the same for all targets. */
export async function bench(options: BenchOptions, print: (line: string) => void): Promise<Report> {
  const peer = options.peer === '' ? [] : [peerTarget(options.peer, options.peerToken, options.peerProcs)];
  const own = await ownTarget(options.dataDir);
  try {
    const report = await run([own, ...peer], options, print);
    if (options.json !== '') writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`);
    printReport(report, options, print);
    return report;
  } finally {
    await own.stop();
  }
}

async function run(targets: readonly Target[], options: BenchOptions, print: (line: string) => void): Promise<Report> {
  const name = `bench-${Date.now().toString(36)}`;
  const namespaces: Array<[Target, BenchNamespace]> = [];
  for (const target of targets) {
    namespaces.push([target, await createNamespace(target, name, 'ConfigMap')]);
    if (options.custom) namespaces.push([target, await createNamespace(target, `${name}-custom`, 'Record')]);
  }
  const wanted = new RegExp(options.only);
  const measurements: Measurement[] = [];
  for (const scenario of scenarios) {
    if (!CREATIONS.has(scenario.operation) && !wanted.test(scenario.name)) continue;
    for (const [target, namespace] of namespaces) {
      if (namespace.subject === 'Record' && !isForCustom(scenario.operation)) continue;
      const measured = await measure(target, namespace, scenario, options.scale);
      measurements.push(measured);
      const { perSecond, p50, p99, cpu, errors, missing } = measured;
      const problems =
        Object.keys(errors).length > 0 || missing > 0 ? `  errors ${JSON.stringify(errors)}, missing ${missing}` : '';
      print(
        `${target.name.padEnd(8)} ${measured.scenario.padEnd(34)} ${figure(perSecond)}/s  p50 ${figure(p50)} ms  p99 ${figure(p99)} ms  ${figure(cpu)} us CPU${problems}`,
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

/** They always run, because other scenarios need their objects. */
const CREATIONS: ReadonlySet<Operation> = new Set(['create', 'create-pod']);

/** A custom object cannot be replaced without its version, and operations on pods have no custom form. */
export function isForCustom(operation: Operation): boolean {
  return operation !== 'update' && !isClusterOperation(operation);
}

function printReport(report: Report, options: BenchOptions, print: (line: string) => void): void {
  const of = (name: string) => report.measurements.filter((m) => m.target === name);
  print(`\n${resultTable(of('tidegate'))}`);
  if (options.peer !== '') print(`\n${resultTable(of('peer'))}\n\n${ratioTable(of('tidegate'), of('peer'))}`);
  if (options.compare === '') return;
  const earlier = JSON.parse(readFileSync(options.compare, 'utf8')) as Report;
  print(
    `\nagainst ${earlier.commit} of ${earlier.date}\n\n${ratioTable(
      of('tidegate'),
      earlier.measurements.filter((m) => m.target === 'tidegate'),
    )}`,
  );
}
