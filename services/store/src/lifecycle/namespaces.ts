import type { Kind, ObjectMeta, Registry } from '@tidegate/kinds';
import type { Key, ReadOutcome } from '@tidegate/wire';
import { collectionPath, Paths } from '../garbage/paths.ts';
import type { Pool } from '../storage/connection.ts';
import type { GatewayClient } from './gateway-client.ts';
import { type Condition, conditionsAfter, type Remains } from './namespace-conditions.ts';
import type { RemoteContents, RemoteRemains } from './remote-contents.ts';

/** What every cluster has from its beginning. */
const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const FINALIZER = 'kubernetes';

const CONTENTS = `SELECT namespace, namespace_revision, resource, objects, untouched, newest
  FROM tidegate.terminating_contents($1)`;
const NAMES = 'SELECT name FROM tidegate.objects WHERE resource = $1 AND namespace = $2 LIMIT $3::integer';

const NAMESPACES_AT_ONCE = 4;
const COLLECTIONS_AT_ONCE = 4;
/** of what remains, so many are read for their finalizers; of more than that nobody reads a list */
const MOST_READ = 10_000;
const PORTION = 512;
const AGAIN_MS = 1000;

interface Content {
  readonly resource: string;
  readonly objects: number;
  /** those whose deletion was not asked for yet */
  readonly untouched: number;
  /** the revision of the last change of one of them */
  readonly newest: number;
}

interface Terminating {
  readonly name: string;
  readonly revision: number;
  readonly contents: readonly Content[];
}

interface NamespacesOptions {
  pool: Pool;
  reads: { read(keys: readonly Key[]): Promise<ReadOutcome[]> };
  gateway: GatewayClient;
  registry: Registry;
  /** what they have at servers behind the API */
  remote: RemoteContents;
  /** whether terminating ones are emptied and let go */
  finalizes: boolean;
  now?: () => number;
}

/**
 * The life of namespaces: those that must be there are made, and a terminating one is emptied and then let go. Pods go
 * first, since others may lean on what is still there; then everything else. What remains for a while is told in the
 * namespace's conditions.
 *
 * Invariant: every step can be done again. The last one, the removal of the finalizer, makes the gateway remove the
 * namespace under the guard that nothing is left in it; a namespace that was not empty after all stays, and is emptied
 * again in the next round. What is remembered of a namespace only spares a look at one that has not changed.
 */
export class Namespaces {
  readonly #options: NamespacesOptions;
  readonly #paths: Paths;
  readonly #now: () => number;
  #missing = new Set(SYSTEM_NAMESPACES);
  /** by namespace: how it was when nothing more could be done, or when a failure is tried again */
  #known = new Map<string, { signature: string; until: number }>();

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.#paths = new Paths(options.registry);
    this.#now = options.now ?? (() => performance.now());
  }

  async round(): Promise<void> {
    for (const name of this.#missing) await this.#make(name);
    if (!this.#options.finalizes) return;
    const terminating = await this.#look('');
    const names = new Set(terminating.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    const changed = terminating.filter((one) => {
      const known = this.#known.get(one.name);
      return known?.signature !== signatureOf(one) || this.#now() >= known.until;
    });
    await eachOf(changed, NAMESPACES_AT_ONCE, (one) => this.#finalize(one));
  }

  async #make(name: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const { code } = await this.#options.gateway.send('POST', '/api/v1/namespaces', object);
    if (code === 201 || code === 409) this.#missing.delete(name);
  }

  async #look(namespace: string): Promise<Terminating[]> {
    const found = new Map<string, { name: string; revision: number; contents: Content[] }>();
    for (const row of await this.#options.pool.query(CONTENTS, [namespace])) {
      const [name, revision, resource, objects, untouched, newest] = row as [
        string,
        number,
        string | null,
        number,
        number,
        number,
      ];
      const one = found.get(name) ?? { name, revision, contents: [] };
      found.set(name, one);
      if (resource !== null) one.contents.push({ resource, objects, untouched, newest });
    }
    return [...found.values()];
  }

  async #finalize(before: Terminating): Promise<void> {
    const { name } = before;
    const pods = before.contents.filter(({ resource }) => resource === 'pods');
    const failures = await this.#empty(name, pods);
    let now = pods.length === 0 ? before : await this.#again(name);
    if (now !== undefined && !now.contents.some(({ resource }) => resource === 'pods')) {
      failures.push(...(await this.#empty(name, now.contents)));
      if (now.contents.length > 0) now = await this.#again(name);
    }
    // somebody else was quicker
    if (now === undefined) return;
    const remote = await this.#options.remote.empty(name);
    failures.push(...remote.failures);
    // of what others keep no change is told here
    const isEmptyElsewhere = remote.undiscovered.size + remote.failures.length + remote.objects.size === 0;
    const isEmpty = now.contents.length === 0 && isEmptyElsewhere;
    const told = isEmpty ? await this.#letGo(name) : await this.#tell(now, failures, remote);
    const after = (await this.#again(name)) ?? now;
    const isDone = told && failures.length === 0 && isEmptyElsewhere;
    const until = isDone ? Number.POSITIVE_INFINITY : this.#now() + AGAIN_MS;
    // what came meanwhile makes another signature
    this.#known.set(name, { signature: signatureOf({ ...now, revision: after.revision }), until });
  }

  async #again(name: string): Promise<Terminating | undefined> {
    return (await this.#look(name))[0];
  }

  /** Deletes what there is; answers what could not be. */
  async #empty(namespace: string, contents: readonly Content[]): Promise<string[]> {
    const failures: string[] = [];
    const untouched = contents.filter((content) => content.untouched > 0);
    await eachOf(untouched, COLLECTIONS_AT_ONCE, async ({ resource }) => {
      const kind = this.#paths.kindAt(resource);
      if (kind === undefined) return void failures.push(`nobody serves ${resource}`);
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
      const { code, body } = await this.#options.gateway.send('DELETE', collectionPath(kind, namespace), options);
      if (code !== 200) failures.push(String(body.message ?? `${resource} were answered with ${code}`));
    });
    return failures;
  }

  async #letGo(name: string): Promise<boolean> {
    const { gateway } = this.#options;
    const { code, body } = await gateway.send('GET', `/api/v1/namespaces/${name}`);
    if (code !== 200) return code === 404;
    const spec = (body.spec ?? {}) as { finalizers?: string[] };
    const finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    const put = await gateway.send('PUT', `/api/v1/namespaces/${name}/finalize`, {
      ...body,
      spec: { ...spec, finalizers },
    });
    return put.code === 200;
  }

  /** Says in the conditions what remains. */
  async #tell({ name, contents }: Terminating, failures: readonly string[], remote: RemoteRemains): Promise<boolean> {
    const { gateway } = this.#options;
    const path = `/api/v1/namespaces/${name}`;
    const { code, body } = await gateway.send('GET', path);
    if (code !== 200) return false;
    const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
    const remains: Remains = {
      objects: new Map([
        ...contents.map(
          ({ resource, objects }) => [nameOf(this.#paths.kindAt(resource), resource), objects] as [string, number],
        ),
        ...remote.objects,
      ]),
      finalizers: summed(await this.#finalizersIn(name, contents), remote.finalizers),
      failures,
      undiscovered: remote.undiscovered,
    };
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const after = conditionsAfter(conditions, remains, now);
    if (after === undefined) return true;
    const { resourceVersion } = body.metadata as ObjectMeta;
    const patch = { metadata: { resourceVersion }, status: { conditions: after } };
    return (await gateway.patch(`${path}/status`, patch)).code === 200;
  }

  async #finalizersIn(namespace: string, contents: readonly Content[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    let left = MOST_READ;
    for (const { resource } of contents) {
      const rows = await this.#options.pool.query(NAMES, [resource, namespace, left]);
      left -= rows.length;
      const keys = rows.map(([name]) => ({ resource, namespace, name: String(name) }));
      for (let at = 0; at < keys.length; at += PORTION) {
        for (const { object } of await this.#options.reads.read(keys.slice(at, at + PORTION))) {
          if (object === null || object.corrupt !== '') continue;
          const { metadata } = JSON.parse(Buffer.from(object.value).toString('utf8')) as { metadata: ObjectMeta };
          for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
        }
      }
    }
    return counts;
  }
}

function summed(counts: Map<string, number>, more: ReadonlyMap<string, number>): Map<string, number> {
  for (const [name, count] of more) counts.set(name, (counts.get(name) ?? 0) + count);
  return counts;
}

function nameOf(kind: Kind | undefined, resource: string): string {
  return kind === undefined ? resource : `${kind.entry.resource}.${kind.entry.group}`;
}

function signatureOf({ revision, contents }: Terminating): string {
  return JSON.stringify([
    revision,
    contents.map(({ resource, objects, newest }) => [resource, objects, newest]).sort(),
  ]);
}

async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
