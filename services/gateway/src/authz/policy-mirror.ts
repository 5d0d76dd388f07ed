import { type PolicyRule, readRules } from '@tidegate/rbac';
import { type Revision, toRevision } from '@tidegate/revision';
import type { JsonObject } from '@tidegate/schema';
import type { StoreSession } from '../clients/store-session.ts';
import { type AnyView, LiveView, type MirrorPort, type Place } from '../live/live-view.ts';
import type { Followed } from '../live/live-views.ts';
import { type Binding, readBinding } from './binding.ts';
import { Policy } from './policy.ts';

export const RBAC = 'rbac.authorization.k8s.io';
const ROLES = ['Role', 'ClusterRole'] as const;
export const POLICY_RESOURCES: readonly string[] = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map(
  (name) => `${name}.${RBAC}`,
);

/** How long a request waits for the roles to load. */
const LOAD_TIMEOUT_MS = 5000;
/** The age up to which the mirrored roles are fresh. */
const FRESH_MS = 5000;

interface PolicyMirrorOptions {
  readonly mirrors: MirrorPort;
  readonly store: Pick<StoreSession, 'head'>;
  /** called when rights may have changed */
  readonly changed: () => void;
  readonly now?: () => number;
}

/**
 * The roles and bindings of the mirrors.
 *
 * Invariant: `policy` reflects all four mirrors. `isFresh` holds only when, less than five seconds ago, they were
 * complete through the store's revision of that time. Callers that need the current roles wait for `latest`.
 */
export class PolicyMirror {
  readonly policy = new Policy();
  readonly #options: PolicyMirrorOptions;
  readonly #now: () => number;
  readonly views: readonly Followed[];
  readonly #views: readonly AnyView[];
  #freshAt = Number.NEGATIVE_INFINITY;
  /** the revision of a write that was answered here before the mirrors had it */
  #owed = 0;
  #asking: Promise<void> | undefined;

  constructor(options: PolicyMirrorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#views = [
      ...ROLES.map((kind) => this.#rolesView(kind)),
      this.#bindingsView('rolebindings'),
      this.#bindingsView('clusterrolebindings'),
    ];
    this.views = this.#views.map((view) => ({
      resource: view.resource,
      through: (revision: Revision) => this.#written(view, revision),
    }));
  }

  start(): void {
    for (const view of this.#views) view.start();
  }

  get isFresh(): boolean {
    return this.#now() - this.#freshAt < FRESH_MS;
  }

  /** The store had at most this revision at `askedAt`. */
  async seen(head: Revision, askedAt: number): Promise<void> {
    for (const view of this.#views) await view.through(head);
    if (head >= this.#owed) this.#freshAt = Math.max(this.#freshAt, askedAt);
  }

  /** Resolves when the roles are current. Callers of the same turn share one request to the store. */
  latest(): Promise<void> {
    this.#asking ??= Promise.resolve().then(() => {
      this.#asking = undefined;
      return this.#ask();
    });
    return this.#asking;
  }

  /** Waits for a write of this gateway. */
  async #written(view: AnyView, revision: Revision): Promise<void> {
    try {
      await view.through(revision);
    } catch (error) {
      // the write is committed and acknowledged: until the mirrors have it, no request may be allowed by the earlier rights
      this.#owed = Math.max(this.#owed, revision);
      this.#freshAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async #ask(): Promise<void> {
    const askedAt = this.#now();
    await this.seen(toRevision(await this.#options.store.head()), askedAt);
  }

  #rolesView(kind: (typeof ROLES)[number]): LiveView<readonly PolicyRule[]> {
    return this.#view(`${kind.toLowerCase()}s`, {
      make: ({ rules }) => readRules(rules),
      put: (rules, { namespace, name }) => this.policy.setRole({ kind, namespace, name }, rules),
      remove: (_rules, { namespace, name }) => this.policy.setRole({ kind, namespace, name }, undefined),
    });
  }

  #bindingsView(resource: string): LiveView<Binding> {
    return this.#view(resource, {
      make: readBinding,
      put: (binding) => this.policy.addBinding(binding),
      remove: (binding) => this.policy.removeBinding(binding),
    });
  }

  #view<T>(resource: string, { make, put, remove }: Reading<T>): LiveView<T> {
    return new LiveView<T>({
      mirrors: this.#options.mirrors,
      resource: `${resource}.${RBAC}`,
      make,
      changed: ({ added, removed }) => {
        for (const { made, ...place } of removed) remove(made, place);
        for (const { made, ...place } of added) put(made, place);
        if (added.length + removed.length > 0) this.#options.changed();
      },
      timeoutMs: LOAD_TIMEOUT_MS,
      unknown: 'the current roles are not loaded yet; retry shortly',
    });
  }
}

interface Reading<T> {
  make(object: JsonObject): T;
  put(made: T, place: Place): void;
  remove(made: T, place: Place): void;
}
