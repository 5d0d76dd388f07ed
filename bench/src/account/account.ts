import { join } from 'node:path';
import { dataDirAt, PARTS, PROGRAM_SOURCES, projectRoot } from '@tidegate/local';
import { cpuSecondsApart } from '../cpu.ts';
import { speaksHttp2 } from '../generator/operations.ts';
import type { Job, Outcome } from '../generator/work.ts';
import { load } from '../load.ts';
import { createNamespace } from '../measure.ts';
import { newTarget, type Target } from '../target.ts';
import { type Accounted, accounted, OBJECTS, PODS } from './accounted.ts';
import { type Profile, sharesOf } from './attribute.ts';
import { INSPECTABLE, Inspector } from './inspector.ts';
import { STAGE_OF_PART, type Stage } from './stages.ts';

/** CPU microseconds of one operation in each stage. */
export interface Account {
  readonly name: string;
  readonly stages: ReadonlyMap<Stage, number>;
}

const LIMIT_MS = 120_000;

/**
 * Measures each operation twice: how much CPU time each process uses, and then, with a sampling profile, for what. The
 * profiler itself costs about a tenth, so its samples only divide the time of the first measurement.
 */
export async function measureAccounts(print: (line: string) => void, scale = 1): Promise<Account[]> {
  const target = await newTarget({
    // the files of a bundle have no rooms
    main: join(projectRoot, PROGRAM_SOURCES.tidegate),
    env: { NODE_OPTIONS: INSPECTABLE },
  });
  const inspectors = new Map<string, Inspector>();
  try {
    const { logs } = dataDirAt(target.dataDir);
    for (const part of PARTS) inspectors.set(part, await Inspector.open(join(logs, `${part}.log`)));
    const jobOf = await prepare(target, scale);
    const accounts: Account[] = [];
    for (const one of accounted) {
      const job = jobOf(one);
      await load(later(job, 2, Math.ceil(one.warm * scale)));
      const spent = await spentBy(target, job);
      const profiles = await profiled(inspectors, later(job, 1));
      accounts.push({ name: one.name, stages: divided(spent, profiles, speaksHttp2(one.operation)) });
      print(
        `${one.name}: ${Math.round([...spent.values()].reduce((sum, { own, helpers }) => sum + own + helpers, 0))} us`,
      );
    }
    return accounts;
  } finally {
    for (const inspector of inspectors.values()) inspector.close();
    await target.stop();
  }
}

type JobOf = (one: Accounted) => Job;

/** Creates the objects, and returns the jobs that work with them. */
async function prepare(target: Target, scale: number): Promise<JobOf> {
  const { name: namespace, subject } = await createNamespace(target, `account-${Date.now().toString(36)}`, 'ConfigMap');
  const scaled = (count: number) => Math.ceil(count * scale);
  const { server, token } = target;
  const place = { server, token, namespace, subject, objects: scaled(OBJECTS), rate: 0, timeoutMs: LIMIT_MS };
  await load({ ...place, operation: 'create', clients: 64, count: scaled(OBJECTS), first: 0 });
  await load({ ...place, operation: 'create-pod', clients: 16, count: scaled(PODS), first: 0 });
  return ({ operation, clients, count }) => ({
    ...place,
    ...{ operation, clients, count: scaled(count), first: operation === 'create' ? scaled(OBJECTS) : 0 },
  });
}

/** The same job later: creations take objects that do not exist yet. */
function later(job: Job, times: number, count = job.count): Job {
  return { ...job, count, first: job.operation === 'create' ? job.first + times * job.count : job.first };
}

interface Spent {
  /** CPU microseconds of an operation */
  readonly own: number;
  /** of V8's helper threads */
  readonly helpers: number;
}

async function spentBy(target: Target, job: Job): Promise<Map<string, Spent>> {
  let before: ReturnType<typeof cpuSecondsApart> = new Map();
  const outcome = await load(job, () => {
    before = cpuSecondsApart(target.processes);
  });
  const after = cpuSecondsApart(target.processes);
  requireAll(job, outcome);
  const each = (seconds = 0, earlier = 0) => ((seconds - earlier) * 1e6) / outcome.operations;
  return new Map(
    [...after].map(([part, { own, helpers }]) => {
      const earlier = before.get(part);
      return [part, { own: each(own, earlier?.own), helpers: each(helpers, earlier?.helpers) }];
    }),
  );
}

/** What the parts do during the job. */
async function profiled(inspectors: ReadonlyMap<string, Inspector>, job: Job): Promise<Map<string, Profile>> {
  const outcome = await load(job, async () => {
    await Promise.all([...inspectors.values()].map((inspector) => inspector.start()));
  });
  requireAll(job, outcome);
  const stopped = [...inspectors].map(async ([part, inspector]) => [part, await inspector.stop()] as const);
  return new Map(await Promise.all(stopped));
}

function requireAll({ operation }: Job, { errors, missing }: Outcome): void {
  if (Object.keys(errors).length > 0 || missing > 0) {
    throw new Error(`${operation} failed: ${JSON.stringify(errors)}, ${missing} events are missing`);
  }
}

function divided(
  spent: ReadonlyMap<string, Spent>,
  profiles: ReadonlyMap<string, Profile>,
  clientsSpeakHttp2: boolean,
): Map<Stage, number> {
  const stages = new Map<Stage, number>();
  const add = (stage: Stage, cost: number) => stages.set(stage, (stages.get(stage) ?? 0) + cost);
  for (const [part, { own, helpers }] of spent) {
    const profile = profiles.get(part);
    const stage = STAGE_OF_PART[part];
    if (stage !== undefined || profile === undefined) {
      add(stage ?? 'other', own + helpers);
      continue;
    }
    add('garbage collection and compilation', helpers);
    const shares = sharesOf(profile, { hasClients: part === 'gateway', clientsSpeakHttp2 });
    for (const [name, share] of shares) add(name, own * share);
  }
  return stages;
}
