import type { Answer, ClientOptions } from './client.ts';
import { Connection } from './connection.ts';
import { collectionOf, objectName, randomObject } from './objects.ts';
import { type Operation, onceOf, openClient, type Place } from './operations.ts';

/** The job of one generator process. */
export interface Job extends Place {
  server: string;
  token: string;
  operation: Operation;
  clients: number;
  /** total number of operations */
  count: number;
  /** the index of the first object to create or delete */
  first: number;
  /** operations a second; 0 for as fast as possible */
  rate: number;
  timeoutMs: number;
}

export interface Outcome {
  operations: number;
  seconds: number;
  bytes: number;
  /** milliseconds, sorted */
  latencies: number[];
  errors: Record<string, number>;
  /** CPU time of the generator itself */
  cpuSeconds: number;
  missing: number;
}

/** Called when all connections are open, so that the cost of opening them is not counted. */
export type Begin = () => Promise<void>;

function addressOf({ server, token }: Job): ClientOptions {
  const { hostname, port } = new URL(server);
  return { host: hostname, port: Number(port), token };
}

/** Runs a job and measures each operation, until the count or the time limit is reached. */
export async function work(job: Job, begin: Begin): Promise<Outcome> {
  if (job.operation === 'watch') return fanOut(job, begin);
  const open = () => openClient(job.operation, addressOf(job));
  const connections = await Promise.all(Array.from({ length: job.clients }, open));
  const [first] = connections;
  if (first === undefined) return newOutcome();
  const once = await onceOf(job.operation, job, first);
  const outcome = newOutcome();
  await begin();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const end = started + job.timeoutMs;
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let i = next++; i < job.count && performance.now() < end; i = next++) {
        if (job.rate > 0) await pause(started + (i * 1000) / job.rate - performance.now());
        await measured(outcome, () => once(connection, job.first + i));
      }
      connection.close();
    }),
  );
  return finished(outcome, started, cpu);
}

async function measured(outcome: Outcome, once: () => Promise<Answer>): Promise<void> {
  const at = performance.now();
  const { code, bytes } = await once();
  outcome.bytes += bytes;
  if (code >= 200 && code < 300) outcome.latencies.push(performance.now() - at);
  else outcome.errors[code] = (outcome.errors[code] ?? 0) + 1;
}

/** Many watchers and one writer: an operation is a delivered event; its latency starts before the write. */
async function fanOut(job: Job, begin: Begin): Promise<Outcome> {
  const maps = collectionOf(job.subject, job.namespace);
  const writer = await Connection.open(addressOf(job));
  const list = await writer.request('GET', `${maps}?limit=1`, undefined, '', true);
  // the metadata of a list may be after its items
  const from = /"metadata":\{"resourceVersion":"(\d+)"/.exec(list.body.toString('latin1'))?.[1] ?? '0';
  const outcome = newOutcome();
  const watchers = await Promise.all(Array.from({ length: job.clients }, () => Connection.open(addressOf(job))));
  for (const watcher of watchers) {
    await watcher.follow(`${maps}?watch=1&resourceVersion=${from}`, (text, at) => {
      const sent = /"sent":"([\d.]+)"/.exec(text)?.[1];
      outcome.bytes += text.length;
      if (sent !== undefined) outcome.latencies.push(at - Number(sent));
    });
  }
  await begin();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const end = started + job.timeoutMs;
  let written = 0;
  for (; written < job.count && performance.now() < end; written++) {
    if (job.rate > 0) await pause(started + (written * 1000) / job.rate - performance.now());
    const sent = `,"sent":"${performance.timeOrigin + performance.now()}"`;
    const i = written % job.objects;
    const object = randomObject(job.subject, job.namespace, i, sent);
    // a PUT of a custom object requires its resourceVersion
    const { code } = await (job.subject === 'ConfigMap'
      ? writer.request('PUT', `${maps}/${objectName(i)}`, object)
      : writer.request('PATCH', `${maps}/${objectName(i)}`, object, 'application/merge-patch+json'));
    if (code !== 200) outcome.errors[code] = (outcome.errors[code] ?? 0) + 1;
  }
  const wanted = written * job.clients;
  while (outcome.latencies.length < wanted && performance.now() < end) await pause(5);
  outcome.missing = wanted - outcome.latencies.length;
  for (const connection of [writer, ...watchers]) connection.close();
  return finished(outcome, started, cpu);
}

function newOutcome(): Outcome {
  return { operations: 0, seconds: 0, bytes: 0, latencies: [], errors: {}, cpuSeconds: 0, missing: 0 };
}

function finished(outcome: Outcome, started: number, cpu: NodeJS.CpuUsage): Outcome {
  const { user, system } = process.cpuUsage(cpu);
  outcome.seconds = (performance.now() - started) / 1000;
  outcome.operations = outcome.latencies.length;
  outcome.latencies.sort((a, b) => a - b);
  outcome.cpuSeconds = (user + system) / 1e6;
  return outcome;
}

function pause(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));
}
