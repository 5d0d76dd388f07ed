import { type Answer, Connection } from './connection.ts';
import { collectionOf, objectName, randomObject, randomPatch, type Subject } from './objects.ts';

/** What one generator process is told to do. */
export interface Job {
  server: string;
  token: string;
  namespace: string;
  subject: Subject;
  operation: Operation;
  clients: number;
  /** operations in all */
  count: number;
  /** objects 0 to N-1 exist */
  objects: number;
  /** first object that a creation makes, or a deletion removes */
  first: number;
  /** operations a second; 0: as fast as answers come */
  rate: number;
  timeoutMs: number;
}

export type Operation =
  | 'create'
  | 'get'
  | 'get-cached'
  | 'list'
  | 'list-pages'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'watch';

export interface Outcome {
  operations: number;
  seconds: number;
  bytes: number;
  /** milliseconds, sorted */
  latencies: number[];
  errors: Record<string, number>;
  /** of the generator itself */
  cpuSeconds: number;
  missing: number;
}

/** Called when all connections stand; what the servers spent on them is not the operations'. */
export type Begin = () => Promise<void>;

type Once = (connection: Connection, i: number) => Promise<Answer>;

/** One operation of each kind. Random objects are chosen anew each time. */
function onceOf(job: Job): Once {
  const maps = collectionOf(job.subject, job.namespace);
  const any = () => Math.floor(Math.random() * job.objects);
  switch (job.operation) {
    case 'create':
      return (c, i) => c.ask('POST', maps, randomObject(job.subject, job.namespace, job.first + i));
    case 'get':
      return (c) => c.ask('GET', `${maps}/${objectName(any())}`);
    case 'get-cached':
      return (c) => c.ask('GET', `${maps}/${objectName(any())}?resourceVersion=0`);
    case 'list':
      return (c) => c.ask('GET', maps);
    case 'list-pages':
      return (c) => allPages(c, maps);
    case 'apply':
      return (c) => {
        const i = any();
        const path = `${maps}/${objectName(i)}?fieldManager=bench&force=true`;
        return c.ask('PATCH', path, randomObject(job.subject, job.namespace, i), 'application/apply-patch+yaml');
      };
    case 'patch':
      return (c) => c.ask('PATCH', `${maps}/${objectName(any())}`, randomPatch(), 'application/merge-patch+json');
    case 'delete':
      return (c, i) => c.ask('DELETE', `${maps}/${objectName(job.first + i)}`);
    default: {
      return (c) => {
        const i = any();
        return c.ask('PUT', `${maps}/${objectName(i)}`, randomObject(job.subject, job.namespace, i));
      };
    }
  }
}

async function allPages(connection: Connection, maps: string): Promise<Answer> {
  let token = '';
  let bytes = 0;
  for (;;) {
    const answer = await connection.ask('GET', `${maps}?limit=500${token}`, undefined, '', true);
    bytes += answer.bytes;
    const next =
      /"continue":"([^"]+)"/.exec(answer.body.toString('latin1', 0, 4096))?.[1] ??
      /"continue":"([^"]+)"/.exec(answer.body.toString('latin1'))?.[1];
    if (answer.code !== 200 || next === undefined) return { ...answer, bytes };
    token = `&continue=${next}`;
  }
}

const connect = (job: Job) => {
  const { hostname, port } = new URL(job.server);
  return Connection.open({ host: hostname, port: Number(port), token: job.token });
};

/** Runs a job and measures each operation. It ends by itself: after its count, or when its time is over. */
export async function work(job: Job, begin: Begin): Promise<Outcome> {
  if (job.operation === 'watch') return fanOut(job, begin);
  const connections = await Promise.all(Array.from({ length: job.clients }, () => connect(job)));
  const once = onceOf(job);
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
        await measured(outcome, () => once(connection, i));
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

/** Many watchers and one writer: an operation is one delivered event, its latency from before the write. */
async function fanOut(job: Job, begin: Begin): Promise<Outcome> {
  const maps = collectionOf(job.subject, job.namespace);
  const writer = await connect(job);
  const list = await writer.ask('GET', `${maps}?limit=1`, undefined, '', true);
  const from = /"resourceVersion":"(\d+)"/.exec(list.body.toString('latin1'))?.[1] ?? '0';
  const outcome = newOutcome();
  const watchers = await Promise.all(Array.from({ length: job.clients }, () => connect(job)));
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
    // custom objects are put only by those who know their versions
    const { code } = await (job.subject === 'ConfigMap'
      ? writer.ask('PUT', `${maps}/${objectName(i)}`, object)
      : writer.ask('PATCH', `${maps}/${objectName(i)}`, object, 'application/merge-patch+json'));
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
