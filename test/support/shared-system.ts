import { type TestTidegate, until } from '@tidegate/testkit';
import { atEnd } from '../runner/at-end.ts';
import { Client } from './client.ts';
import { type RunningSystem, runningSystem, type SystemOptions } from './running-system.ts';
import { type Contents, readContents, type StoredObject } from './system-contents.ts';

/** How many systems a process keeps running; each uses about 450 MiB. */
const MAX_KEPT = 2;

/** Initial objects that the system itself changes. */
const SELF_CHANGING = /\/leases\/|\/flowschemas\/|\/endpoints\/kubernetes$|\/endpointslices\/kubernetes$/;

interface Kept {
  readonly system: RunningSystem;
  readonly first: Contents['objects'];
}

/** by options, in order of last use */
const kept = new Map<string, Kept>();

/**
 * A running system that several test files share, for tests that depend only on objects of their own. A test that stops
 * a part waits until it runs again. `stop` removes all objects of the file; if the file changed initial objects, the
 * next file gets a new system.
 */
export async function sharedSystem(options: SystemOptions = {}): Promise<RunningSystem> {
  const key = JSON.stringify(options);
  const { system, first } = kept.get(key) ?? (await start(options));
  kept.delete(key);
  kept.set(key, { system, first });
  while (kept.size > MAX_KEPT) await end([...kept.keys()][0] as string);
  const client = new Client(system.tidegate);
  const release = async () => {
    let isUsable = false;
    try {
      if (await clean({ client, tidegate: system.tidegate }, first)) {
        await system.tidegate.checkIdle();
        isUsable = true;
      }
    } finally {
      client.close();
      if (!isUsable) await end(key);
    }
    return 0;
  };
  return { tidegate: withRelease(system.tidegate, release), client, stop: async () => void (await release()) };
}

async function start(options: SystemOptions): Promise<Kept> {
  const system = await runningSystem(options);
  atEnd('stop the shared systems', endAll);
  const { objects } = await readContents(system.client, system.tidegate);
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

/** The same system, whose `stop` releases it instead. */
function withRelease(tidegate: TestTidegate, release: () => Promise<number>): TestTidegate {
  const refuse = () => {
    throw new Error('this system is shared: use runningSystem() to kill parts');
  };
  return Object.create(tidegate, { stop: { value: release }, kill: { value: refuse } });
}

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

/** Removes all objects that were not there at first. Returns whether the initial objects are unchanged. */
async function clean({ client, tidegate }: Omit<RunningSystem, 'stop'>, first: Contents['objects']): Promise<boolean> {
  let remaining: readonly string[] = [];
  const last = await until(
    () => `all objects of the tests to be removed:\n${remaining.join('\n')}`,
    async () => {
      const { objects, unreadable } = await readContents(client, tidegate);
      const added = [...objects.values()].filter(({ path }) => !first.has(path));
      if (added.length === 0 && unreadable.length === 0) return objects;
      remaining = [...unreadable, ...(await Promise.all(added.map((object) => remove(client, object))))];
      return undefined;
    },
  );
  return [...first.values()].every(
    ({ path, metadata }) =>
      SELF_CHANGING.test(path) || last.get(path)?.metadata.resourceVersion === metadata.resourceVersion,
  );
}

/** Deletes an object without waiting for finalizers. Returns the answers of the server. */
async function remove(client: Client, { path, metadata }: StoredObject): Promise<string> {
  const answers: string[] = [path];
  const request = async (method: string, body: unknown, headers = {}) => {
    const { code, json } = await client.request(method, path, { body, headers });
    answers.push(`${method} ${code} ${json?.message ?? ''}`);
  };
  if (path.includes('/customresourcedefinitions/')) {
    // objects that need a webhook which is gone could not be deleted
    await request('PATCH', { spec: { conversion: { strategy: 'None', webhook: null } } }, MERGE);
  }
  if (metadata.finalizers !== undefined) await request('PATCH', { metadata: { finalizers: null } }, MERGE);
  // also if the object is being deleted already: a pod may have a grace period
  await request('DELETE', { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  return answers.join(': ');
}
