import { cpuSeconds, residentMib } from './cpu.ts';
import type { Client } from './generator/client.ts';
import { Connection } from './generator/connection.ts';
import { collectionOf, recordDefinition, type Subject } from './generator/objects.ts';
import type { Job, Outcome } from './generator/work.ts';
import { load } from './load.ts';
import type { Scenario } from './scenarios.ts';
import type { Target } from './target.ts';

export interface Measurement {
  target: string;
  scenario: string;
  operations: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU microseconds of all server processes for each operation; undefined if their pids are unknown */
  cpu: number | undefined;
  cpuByProcess: Record<string, number>;
  memoryMib: number;
  megabytesPerSecond: number;
  errors: Record<string, number>;
  missing: number;
  /** concurrent writes a second */
  writesPerSecond: number;
}

/** The objects of one target so far, and their namespace. */
export interface BenchNamespace {
  name: string;
  subject: Subject;
  created: number;
  deleted: number;
}

const LIMIT_MS = 60_000;
/** At or below this scale the figures are meaningless, so there is no warm-up. */
const SMOKE_SCALE = 0.01;

export async function createNamespace(target: Target, name: string, subject: Subject): Promise<BenchNamespace> {
  const { hostname, port } = new URL(target.server);
  const connection = await Connection.open({ host: hostname, port: Number(port), token: target.token });
  const body = Buffer.from(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${name}"}}`);
  const { code } = await connection.request('POST', '/api/v1/namespaces', body);
  if (code !== 201) throw new Error(`${target.name} answered ${code} to the creation of a namespace`);
  if (subject === 'Record') await define(target, connection);
  else await preparePods(target, name, connection);
  connection.close();
  return { name, subject, created: 0, deleted: 0 };
}

/** Pods need a service account, and an owner that exists. */
async function preparePods({ name }: Target, namespace: string, client: Client): Promise<void> {
  const { owner } = await import('./generator/cluster-objects.ts');
  const account = { metadata: { name: 'default' } };
  for (const [path, object] of [
    [`/api/v1/namespaces/${namespace}/serviceaccounts`, account],
    [`/apis/apps/v1/namespaces/${namespace}/replicasets`, owner],
  ] as const) {
    const { code } = await client.request('POST', path, Buffer.from(JSON.stringify(object)));
    // a controller may have been faster with the service account
    if (code !== 201 && code !== 409) throw new Error(`${name} answered ${code} to a POST to ${path}`);
  }
}

async function define({ name }: Target, connection: Client): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { code } = await connection.request('POST', path, Buffer.from(JSON.stringify(recordDefinition)));
  if (code !== 201 && code !== 409) throw new Error(`${name} answered ${code} to the definition of a kind`);
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const served = await connection.request('GET', collectionOf('Record', 'default'));
    if (served.code === 200) return;
    if (Date.now() > end) throw new Error(`${name} does not serve the kind that was defined`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function measure(
  target: Target,
  namespace: BenchNamespace,
  scenario: Scenario,
  scale: number,
): Promise<Measurement> {
  const count = Math.max(scenario.operation === 'list' ? 1 : 10, Math.round(scenario.count * scale));
  const clients = clientsOf(scenario, count, scale);
  const job: Job = {
    server: target.server,
    token: target.token,
    namespace: namespace.name,
    subject: namespace.subject,
    operation: scenario.operation,
    clients,
    count,
    objects: Math.max(1, namespace.created - namespace.deleted),
    first: scenario.operation === 'create' ? namespace.created : 0,
    rate: 0,
    timeoutMs: LIMIT_MS,
  };
  if (scenario.warm !== undefined && scale > SMOKE_SCALE) await load({ ...job, count: Math.min(scenario.warm, count) });
  const writer = scenario.writes === undefined ? undefined : startWriter(job, scenario.writes, scale);
  await writer?.begun;
  let before = new Map<string, number>();
  const outcome = await load(job, () => {
    before = cpuSeconds(target.processes);
  });
  const after = cpuSeconds(target.processes);
  const writes = (await writer?.written) ?? 0;
  if (scenario.operation === 'create') namespace.created += count;
  const name = namespace.subject === 'ConfigMap' ? scenario.name : `${scenario.name}, custom`;
  return measurement({ target, scenario: { ...scenario, name }, outcome, before, after, writes });
}

/** The number of clients, reduced at a smaller scale. A client without an operation would only cost its handshake. */
function clientsOf({ operation, clients }: Scenario, count: number, scale: number): number {
  const scaled = clients >= 100 ? Math.max(4, Math.round(clients * scale)) : clients;
  return operation === 'watch' ? scaled : Math.min(scaled, count);
}

/** Starts a paced writer for about the duration of the scenario. The server's CPU time for its writes is included. */
function startWriter(job: Job, rate: number, scale: number): { begun: Promise<void>; written: Promise<number> } {
  const seconds = Math.max(1, (job.operation === 'list' ? 4 : 3) * Math.min(1, scale));
  const writing = load({ ...job, operation: 'update', clients: 16, rate, count: rate * seconds });
  return {
    begun: new Promise((resolve) => setTimeout(resolve, 500)),
    written: writing.then(({ operations, seconds: took }) => Math.round(operations / took)),
  };
}

interface Raw {
  target: Target;
  scenario: Scenario;
  outcome: Outcome;
  before: Map<string, number>;
  after: Map<string, number>;
  writes: number;
}

function measurement({ target, scenario, outcome, before, after, writes }: Raw): Measurement {
  const { operations, seconds, latencies } = outcome;
  const cpuByProcess: Record<string, number> = {};
  for (const [name, spent] of after) cpuByProcess[name] = perOperation(spent - (before.get(name) ?? 0), operations);
  const total = Object.values(cpuByProcess).reduce((sum, one) => sum + one, 0);
  return {
    target: target.name,
    scenario: scenario.name,
    operations,
    perSecond: operations / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: target.processes.length === 0 ? undefined : total,
    cpuByProcess,
    memoryMib: residentMib(target.processes),
    megabytesPerSecond: outcome.bytes / 1e6 / seconds,
    errors: outcome.errors,
    missing: outcome.missing,
    writesPerSecond: writes,
  };
}

function perOperation(seconds: number, operations: number): number {
  return operations === 0 ? 0 : (seconds * 1e6) / operations;
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
