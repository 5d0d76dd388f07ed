import { type TestTidegate, until } from '@tidegate/testkit';
import { atEnd } from '../runner/at-end.ts';
import { Client } from './client.ts';
import { type Contents, contentsOf, type Held } from './contents.ts';
import { type RunningSystem, runningSystem, type SystemOptions } from './running-system.ts';

/** So many systems a process keeps at a time; each has some 450 MiB. */
const MOST_KEPT = 2;

/** What each system has after its start changes by itself. */
const RESTLESS = /\/leases\/|\/flowschemas\/|\/endpoints\/kubernetes$|\/endpointslices\/kubernetes$/;

interface Kept {
  readonly system: RunningSystem;
  readonly first: Contents['objects'];
}

/** by their options, the one used last at the end */
const kept = new Map<string, Kept>();

/**
 * A running system that other files of tests have used before, and will use: for all that ask it about what they made
 * themselves. Whoever ends a part of it waits until that part is started again. At the end everything that a file has made is removed; where it has changed what each
 * system has from the beginning, the next file gets another system.
 */
export async function sharedSystem(options: SystemOptions = {}): Promise<RunningSystem> {
  const key = JSON.stringify(options);
  const { system, first } = kept.get(key) ?? (await start(options));
  kept.delete(key);
  kept.set(key, { system, first });
  while (kept.size > MOST_KEPT) await end([...kept.keys()][0] as string);
  const client = new Client(system.tidegate);
  const release = async () => {
    let isUsable = false;
    try {
      if (await clean({ client, tidegate: system.tidegate }, first)) {
        await system.tidegate.rests();
        isUsable = true;
      }
    } finally {
      client.close();
      if (!isUsable) await end(key);
    }
    return 0;
  };
  return { tidegate: borrowed(system.tidegate, release), client, stop: async () => void (await release()) };
}

async function start(options: SystemOptions): Promise<Kept> {
  const system = await runningSystem(options);
  atEnd('the systems that files shared end', endAll);
  const { objects } = await contentsOf(system.client, system.tidegate);
  return { system, first: objects };
}

async function end(key: string): Promise<void> {
  const entry = kept.get(key);
  kept.delete(key);
  await entry?.system.stop();
}

async function endAll(): Promise<void> {
  for (const key of [...kept.keys()]) await end(key);
}

/** The same, given back instead of stopped. */
function borrowed(tidegate: TestTidegate, release: () => Promise<number>): TestTidegate {
  const refuse = () => {
    throw new Error('this system is shared: take one of your own to break it');
  };
  return Object.create(tidegate, { stop: { value: release }, kill: { value: refuse } });
}

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

/** Removes what was not there at first. Answers whether what was there is as it was. */
async function clean({ client, tidegate }: Omit<RunningSystem, 'stop'>, first: Contents['objects']): Promise<boolean> {
  let left: readonly string[] = [];
  const last = await until(
    () => `everything that the tests have made to be gone:\n${left.join('\n')}`,
    async () => {
      const { objects, unreadable } = await contentsOf(client, tidegate);
      const strangers = [...objects.values()].filter(({ path }) => !first.has(path));
      if (strangers.length === 0 && unreadable.length === 0) return objects;
      left = [...unreadable, ...(await Promise.all(strangers.map((held) => removed(client, held))))];
      return undefined;
    },
  );
  return [...first.values()].every(
    ({ path, metadata }) =>
      RESTLESS.test(path) || last.get(path)?.metadata.resourceVersion === metadata.resourceVersion,
  );
}

/** Removes an object, and everything that it waits for; then it is gone, or soon. Answers what was said to that. */
async function removed(client: Client, { path, metadata }: Held): Promise<string> {
  const answers: string[] = [path];
  const ask = async (method: string, body: unknown, headers = {}) => {
    const { code, json } = await client.ask(method, path, { body, headers });
    answers.push(`${method} ${code} ${json?.message ?? ''}`);
  };
  if (path.includes('/customresourcedefinitions/')) {
    // what only a webhook that is gone could convert could not be removed either
    await ask('PATCH', { spec: { conversion: { strategy: 'None', webhook: null } } }, MERGE);
  }
  if (metadata.finalizers !== undefined) await ask('PATCH', { metadata: { finalizers: null } }, MERGE);
  // also where it is being deleted already: a pod may have been given time
  await ask('DELETE', { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  return answers.join(': ');
}
