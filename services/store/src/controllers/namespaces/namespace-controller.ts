import type { ObjectMeta, Registry } from '@tidegate/kinds';
import { collectionPath, ObjectPaths } from '../gateway/object-paths.ts';
import type { Gateway, NamespaceContent, ObjectQueries, ObjectReader, TerminatingNamespace } from '../port.ts';
import { type Condition, conditionsAfter } from './namespace-conditions.ts';
import { remainingContents } from './remaining-contents.ts';
import type { RemoteContents, RemoteRemains } from './remote-contents.ts';

/** The namespaces that every cluster has. */
const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const FINALIZER = 'kubernetes';

const NAMESPACES_AT_ONCE = 4;
const COLLECTIONS_AT_ONCE = 4;
const RETRY_MS = 1000;

interface NamespaceControllerOptions {
  objects: ObjectQueries;
  reads: ObjectReader;
  gateway: Gateway;
  registry: Registry;
  /** the contents of namespaces at aggregated API servers */
  remote: RemoteContents;
  /** whether terminating namespaces are emptied and finalized */
  finalizes: boolean;
  now?: () => number;
}

/**
 * Creates the system's namespaces, and empties and finalizes terminating ones. Pods are deleted first, because their
 * shutdown may need the other objects; then all other objects are deleted. While objects remain, the namespace's
 * conditions report them.
 *
 * Invariant: every step can be repeated. The last step, the removal of the finalizer, makes the gateway delete the
 * namespace under the guard that it is empty; a namespace that was not empty stays, and the next pass empties it again.
 * The remembered signatures only skip namespaces that have not changed.
 */
export class NamespaceController {
  readonly #options: NamespaceControllerOptions;
  readonly #paths: ObjectPaths;
  readonly #now: () => number;
  #missing = new Set(SYSTEM_NAMESPACES);
  /** by namespace: its state when nothing more could be done, or until when a failure is not retried */
  #known = new Map<string, { signature: string; until: number }>();

  constructor(options: NamespaceControllerOptions) {
    this.#options = options;
    this.#paths = new ObjectPaths(options.registry);
    this.#now = options.now ?? (() => performance.now());
  }

  async reconcile(): Promise<void> {
    for (const name of this.#missing) await this.#create(name);
    if (!this.#options.finalizes) return;
    const terminating = await this.#options.objects.terminatingNamespaces('');
    const names = new Set(terminating.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    const changed = terminating.filter((one) => {
      const known = this.#known.get(one.name);
      return known?.signature !== signatureOf(one) || this.#now() >= known.until;
    });
    await eachOf(changed, NAMESPACES_AT_ONCE, (one) => this.#finalize(one));
  }

  async #create(name: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const { code } = await this.#options.gateway.send('POST', '/api/v1/namespaces', object);
    if (code === 201 || code === 409) this.#missing.delete(name);
  }

  async #finalize(before: TerminatingNamespace): Promise<void> {
    const { name } = before;
    const pods = before.contents.filter(({ resource }) => resource === 'pods');
    const failures = await this.#deleteContents(name, pods);
    let now = pods.length === 0 ? before : await this.#read(name);
    if (now !== undefined && !now.contents.some(({ resource }) => resource === 'pods')) {
      failures.push(...(await this.#deleteContents(name, now.contents)));
      if (now.contents.length > 0) now = await this.#read(name);
    }
    // another process has finalized it
    if (now === undefined) return;
    const remote = await this.#options.remote.empty(name);
    failures.push(...remote.failures);
    // the log has no changes of objects at other servers
    const isEmptyElsewhere = remote.undiscovered.size + remote.failures.length + remote.objects.size === 0;
    const isEmpty = now.contents.length === 0 && isEmptyElsewhere;
    const isWritten = isEmpty ? await this.#removeFinalizer(name) : await this.#writeConditions(now, failures, remote);
    const after = (await this.#read(name)) ?? now;
    const isDone = isWritten && failures.length === 0 && isEmptyElsewhere;
    const until = isDone ? Number.POSITIVE_INFINITY : this.#now() + RETRY_MS;
    // objects that were created in the meantime make another signature
    this.#known.set(name, { signature: signatureOf({ ...now, revision: after.revision }), until });
  }

  async #read(name: string): Promise<TerminatingNamespace | undefined> {
    return (await this.#options.objects.terminatingNamespaces(name))[0];
  }

  /** Returns a message for each collection that could not be deleted. */
  async #deleteContents(namespace: string, contents: readonly NamespaceContent[]): Promise<string[]> {
    const failures: string[] = [];
    const untouched = contents.filter((content) => content.untouched > 0);
    await eachOf(untouched, COLLECTIONS_AT_ONCE, async ({ resource }) => {
      const kind = this.#paths.kindAt(resource);
      if (kind === undefined) return void failures.push(`${resource} is not served`);
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
      const { code, body } = await this.#options.gateway.send('DELETE', collectionPath(kind, namespace), options);
      if (code !== 200) failures.push(String(body.message ?? `the deletion of ${resource} was answered with ${code}`));
    });
    return failures;
  }

  async #removeFinalizer(name: string): Promise<boolean> {
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

  async #writeConditions(
    { name, contents }: TerminatingNamespace,
    failures: readonly string[],
    remote: RemoteRemains,
  ): Promise<boolean> {
    const { gateway } = this.#options;
    const path = `/api/v1/namespaces/${name}`;
    const { code, body } = await gateway.send('GET', path);
    if (code !== 200) return false;
    const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
    const local = await remainingContents(this.#options, this.#paths, { name, contents });
    const remains = {
      objects: new Map([...local.objects, ...remote.objects]),
      finalizers: summed(local.finalizers, remote.finalizers),
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
}

function summed(counts: Map<string, number>, more: ReadonlyMap<string, number>): Map<string, number> {
  for (const [name, count] of more) counts.set(name, (counts.get(name) ?? 0) + count);
  return counts;
}

function signatureOf({ revision, contents }: TerminatingNamespace): string {
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
