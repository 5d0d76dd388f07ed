import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines } from './last-lines.ts';
import type { Programs } from './programs.ts';

export type SpecPrograms = Programs<'e2e.test' | 'ginkgo' | 'kubectl'>;

/** What became of one spec; undefined: it passed. */
export type Complaint = string | undefined;

/** What a report of Ginkgo says of a spec. */
interface SpecReport {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly State: string;
  readonly CapturedGinkgoWriterOutput?: string;
  readonly Failure?: { readonly Message: string; readonly ForwardedPanic?: string };
}

const PROCESSES = 4;
const LIMIT_MINUTES = 45;

/** Runs these specs of e2e.test, all of them, and says of each what became of it. */
export async function runSpecs(
  programs: SpecPrograms,
  { kubeconfig, names, nodes, dir }: { kubeconfig: string; names: readonly string[]; nodes: number; dir: string },
): Promise<(name: string) => Complaint> {
  mkdirSync(dir, { recursive: true });
  const said = await runGinkgo(programs.ginkgo, [
    'run',
    `--procs=${PROCESSES}`,
    '--no-color',
    '--silence-skips',
    `--timeout=${LIMIT_MINUTES}m`,
    `--focus=${names.map((name) => `${escaped(name)}$`).join('|')}`,
    `--output-dir=${dir}`,
    '--json-report=report.json',
    programs['e2e.test'],
    '--',
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${programs.kubectl}`,
    '--provider=skeleton',
    `--num-nodes=${nodes}`,
    // without kubelets no node and no pod of the system ever becomes ready
    '--allowed-not-ready-nodes=-1',
    '--minStartupPods=-1',
    '--dump-logs-on-failure=false',
    '--disable-log-dump',
  ]);
  const reports = readReports(join(dir, 'report.json'));
  return (name) => {
    const report = reports.get(name);
    if (report === undefined) return `it did not run; the end of the run:\n${lastLines(said)}`;
    return report.State === 'passed' ? undefined : complaintOf(report);
  };
}

/** As a regular expression that means the text itself. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** It fails when a spec does: the report says which. */
function runGinkgo(ginkgo: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 256 << 20, timeout: (LIMIT_MINUTES + 2) * 60_000 };
    execFile(ginkgo, args, options, (error, stdout, stderr) => resolve(`${stdout}${stderr}${error?.message ?? ''}`));
  });
}

function readReports(file: string): Map<string, SpecReport> {
  if (!existsSync(file)) return new Map();
  const suites = JSON.parse(readFileSync(file, 'utf8')) as Array<{ SpecReports: SpecReport[] }>;
  const specs = suites.flatMap(({ SpecReports }) => SpecReports).filter(isRun);
  return new Map(specs.map((spec) => [nameOf(spec), spec]));
}

function isRun({ LeafNodeType, State }: SpecReport): boolean {
  return LeafNodeType === 'It' && State !== 'skipped' && State !== 'pending';
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
}

function complaintOf({ State, Failure, CapturedGinkgoWriterOutput = '' }: SpecReport): string {
  const words = [State, Failure?.Message, Failure?.ForwardedPanic].filter(Boolean).join(': ');
  return `${words}\n${lastLines(CapturedGinkgoWriterOutput)}`;
}
