import type { Collection } from '@tidegate/collection';
import { type PolicyRule, readRules } from '@tidegate/rbac';
import { type Revision, toRevision } from '@tidegate/revision';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import { serviceUnavailable } from '@tidegate/status';
import type { StoreSession } from '../clients/store-session.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { type Binding, readBinding } from './binding.ts';
import { Policy } from './policy.ts';

export const RBAC = 'rbac.authorization.k8s.io';
const ROLES = ['Role', 'ClusterRole'] as const;
export const POLICY_RESOURCES: readonly string[] = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map(
  (name) => `${name}.${RBAC}`,
);

/** How long a request waits for roles to be known. */
const PATIENCE_MS = 5000;
/** How old what is known may be. */
const FRESH_MS = 5000;

interface PolicyMirrorOptions {
  readonly mirrors: Pick<Mirrors, 'keep' | 'follow' | 'peek' | 'collection'>;
  readonly store: Pick<StoreSession, 'head'>;
  /** rights may have changed */
  readonly changed: () => void;
  readonly now?: () => number;
}

/**
 * Roles and bindings as the mirrors have them.
 *
 * Invariant: `policy` says what all four mirrors say, and `isFresh` only while they were complete, less than five seconds
 * ago, through the revision that the store had then. Whoever needs to be certain waits for `latest`.
 */
export class PolicyMirror {
  readonly policy = new Policy();
  readonly #options: PolicyMirrorOptions;
  readonly #now: () => number;
  readonly #waiting = new Set(POLICY_RESOURCES);
  readonly #readers: ReadonlyMap<string, (collection: Collection) => boolean>;
  #freshAt = Number.NEGATIVE_INFINITY;
  /** of a write that was answered here before the mirrors had it */
  #owed = 0;
  #asking: Promise<void> | undefined;

  constructor(options: PolicyMirrorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#readers = new Map([
      ...ROLES.map((kind) => [`${kind.toLowerCase()}s.${RBAC}`, this.#rolesReader(kind)] as const),
      [`rolebindings.${RBAC}`, this.#bindingsReader()],
      [`clusterrolebindings.${RBAC}`, this.#bindingsReader()],
    ]);
  }

  start(): void {
    for (const resource of POLICY_RESOURCES) {
      this.#options.mirrors.keep(resource);
      this.#options.mirrors.follow(resource, () => this.#take(resource));
    }
  }

  get isFresh(): boolean {
    return this.#now() - this.#freshAt < FRESH_MS;
  }

  /** The store had this revision at a time, or later. */
  async seen(head: Revision, askedAt: number): Promise<void> {
    for (const resource of POLICY_RESOURCES) await this.#reach(resource, head);
    if (head >= this.#owed) this.#freshAt = Math.max(this.#freshAt, askedAt);
  }

  /** Resolves when roles are known as they are now. Who asks while nobody has been asked yet shares the question. */
  latest(): Promise<void> {
    this.#asking ??= Promise.resolve().then(() => {
      this.#asking = undefined;
      return this.#ask();
    });
    return this.#asking;
  }

  /** After one of them was written here: what it says is so from now on. */
  async through(resource: string, revision: Revision): Promise<void> {
    if (!this.#readers.has(resource)) return;
    try {
      await this.#reach(resource, revision);
    } catch (error) {
      // the write is done, and its author is told so: until it is known here nobody is let in by what was before
      this.#owed = Math.max(this.#owed, revision);
      this.#freshAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async #ask(): Promise<void> {
    const askedAt = this.#now();
    await this.seen(toRevision(await this.#options.store.head()), askedAt);
  }

  async #reach(resource: string, revision: Revision): Promise<void> {
    const { mirrors } = this.#options;
    const known = mirrors.peek(resource);
    const isThere = known !== undefined && known.through >= revision && !this.#waiting.has(resource);
    if (isThere) return;
    const collection = await mirrors.collection(resource, revision, PATIENCE_MS);
    if (collection === undefined) throw serviceUnavailable('roles are not known as they are now, please try again');
    if (this.#waiting.has(resource)) this.#take(resource);
  }

  #take(resource: string): void {
    const collection = this.#options.mirrors.peek(resource);
    if (collection === undefined) return;
    const hasChanged = this.#readers.get(resource)?.(collection) ?? false;
    this.#waiting.delete(resource);
    if (hasChanged) this.#options.changed();
  }

  #rolesReader(kind: 'Role' | 'ClusterRole') {
    return reader<readonly PolicyRule[]>({
      make: ({ rules }) => readRules(rules),
      put: (rules, { namespace, name }) => this.policy.setRole({ kind, namespace, name }, rules),
      remove: (_rules, { namespace, name }) => this.policy.setRole({ kind, namespace, name }, undefined),
    });
  }

  #bindingsReader() {
    return reader<Binding>({
      make: readBinding,
      put: (binding) => this.policy.addBinding(binding),
      remove: (binding) => this.policy.removeBinding(binding),
    });
  }
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Reading<T> {
  make(object: JsonObject): T;
  put(made: T, place: Place): void;
  remove(made: T, place: Place): void;
}

interface Known<T> extends Place {
  readonly revision: number;
  readonly made: T;
}

/** Reads a collection anew when it changes, and takes in what differs; answers whether anything does. */
function reader<T>({ make, put, remove }: Reading<T>): (collection: Collection) => boolean {
  let known = new Map<string, Known<T>>();
  return (collection) => {
    const now: typeof known = new Map();
    let hasChanged = false;
    for (const { items, from, to } of collection.snapshot().runs('')) {
      for (const { namespace, name, revision, json } of items.slice(from, to)) {
        const key = `${namespace}/${name}`;
        const before = known.get(key);
        if (before?.revision === revision) {
          now.set(key, before);
          continue;
        }
        hasChanged = true;
        const made = make(parseOwnJson(json));
        if (before !== undefined) remove(before.made, before);
        put(made, { namespace, name });
        now.set(key, { namespace, name, revision, made });
      }
    }
    for (const [key, gone] of known) {
      if (now.has(key)) continue;
      hasChanged = true;
      remove(gone.made, gone);
    }
    known = now;
    return hasChanged;
  };
}
