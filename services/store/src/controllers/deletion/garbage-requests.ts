import { createHash } from 'node:crypto';
import { ORPHAN, type OwnerReference } from '@tidegate/kinds';
import type { Closing } from '@tidegate/service-kit';
import type { Key } from '@tidegate/wire';
import type { ObjectPaths } from '../gateway/object-paths.ts';
import type { Gateway, GatewayAnswer } from '../port.ts';
import type { Found } from './owner-states.ts';

const PORTION = 512;
/** requests in flight at once, for the dependents of one owner that orphans them */
const PARALLEL_ORPHANS = 32;
const FIRST_DELAY_MS = 50;
const BUSY_DELAY_MS = 2000;
const LONGEST_DELAY_MS = 300_000;

interface GarbageRequestsOptions {
  readonly gateway: Gateway;
  readonly paths: ObjectPaths;
  /** up to `limit` dependents of an owner; null for one that no longer exists */
  readonly dependents: (owner: Found, limit: number) => Promise<ReadonlyArray<Found | null>>;
  readonly closing: Closing;
}

/** The gateway rejected a request. The code is that of its answer, or 0 where no request was sent. */
export class RequestFailed extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  /** A rejection may last, so its delay doubles; after a conflict or from a busy gateway an early retry may succeed. */
  delayMs(attempts: number): number {
    if (this.code === 409) return FIRST_DELAY_MS;
    const longest = this.code === 429 || this.code >= 500 ? BUSY_DELAY_MS : LONGEST_DELAY_MS;
    return Math.min(longest, FIRST_DELAY_MS * 2 ** attempts);
  }
}

/** The garbage collector's requests. Each names the uid and the version of the object that the decision was about. */
export class GarbageRequests {
  readonly #options: GarbageRequestsOptions;

  constructor(options: GarbageRequestsOptions) {
    this.#options = options;
  }

  async delete({ key, uid, revision }: Found, propagationPolicy: string): Promise<void> {
    const preconditions = { uid, resourceVersion: String(revision) };
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, propagationPolicy };
    checkAnswer(await this.#options.gateway.send('DELETE', this.#pathOf(key), options));
  }

  setOwners(object: Found, owners: readonly OwnerReference[]): Promise<void> {
    return this.#patch(object, { ownerReferences: owners.length === 0 ? null : owners });
  }

  setFinalizers(object: Found, finalizers: readonly string[]): Promise<void> {
    return this.#patch(object, { finalizers });
  }

  /** Removes the owner from its dependents, portion by portion, and then removes its own finalizer. */
  async orphan(owner: Found): Promise<void> {
    for (;;) {
      const dependents = await this.#options.dependents(owner, PORTION);
      if (dependents.length === 0) break;
      const queue = dependents.values();
      const work = async () => {
        for (const dependent of queue) if (dependent !== null) await this.#removeOwner(dependent, owner.uid);
      };
      await Promise.all(Array.from({ length: PARALLEL_ORPHANS }, work));
    }
    await this.setFinalizers(
      owner,
      owner.finalizers.filter((name) => name !== ORPHAN),
    );
  }

  /** Creates an Event about an owner that cannot exist. */
  async reportInvalidOwner(object: Found, owner: OwnerReference): Promise<void> {
    const kind = this.#options.paths.kindAt(object.key.resource);
    const involved = { apiVersion: kind?.apiVersion ?? '', kind: kind?.entry.kind ?? '' };
    const event = invalidOwnerEvent(involved, object, owner);
    await this.#options.gateway.send('POST', '/api/v1/namespaces/default/events', event);
  }

  #removeOwner(dependent: Found, owner: string): Promise<void> {
    if (this.#options.closing.aborted) throw new RequestFailed(0, 'the store is shutting down');
    return this.setOwners(
      dependent,
      dependent.owners.filter(({ uid }) => uid !== owner),
    );
  }

  async #patch({ key, uid, revision }: Found, metadata: object): Promise<void> {
    const patch = { metadata: { uid, resourceVersion: String(revision), ...metadata } };
    checkAnswer(await this.#options.gateway.patch(this.#pathOf(key), patch));
  }

  #pathOf(key: Key): string {
    const path = this.#options.paths.of(key);
    if (path === undefined) throw new RequestFailed(0, `${key.resource} is not served`);
    return path;
  }
}

/** An object that no longer exists needs nothing. */
function checkAnswer({ code, body }: GatewayAnswer): void {
  if (code === 200 || code === 202 || code === 404) return;
  throw new RequestFailed(code, `the gateway answered ${code}: ${String(body.message ?? '')}`);
}

interface Involved {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * An Event about an object without a namespace whose owner is of a namespaced kind. Its name follows from its content,
 * so that it is created once.
 */
function invalidOwnerEvent({ apiVersion, kind }: Involved, { key, uid }: Found, owner: OwnerReference): object {
  const { name } = key;
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const reference = `[${owner.apiVersion}/${owner.kind}, namespace: , name: ${owner.name}, uid: ${owner.uid}]`;
  const once = createHash('sha256').update(`${uid} ${reference}`).digest('hex').slice(0, 16);
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${name}.${once}`, namespace: 'default' },
    involvedObject: { kind, apiVersion, name, uid },
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef ${reference} does not exist in namespace ""`,
    source: { component: 'garbage-collector-controller' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
