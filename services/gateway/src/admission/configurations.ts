import type { Collection } from '@tidegate/collection';
import type { Registry } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import { serviceUnavailable } from '@tidegate/status';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { Plugins } from '../plugins/plugins.ts';
import type { Act } from './act.ts';
import { type Hook, hooksOf } from './hook.ts';
import { actFor } from './matcher.ts';
import { bindingOf, type KnownPolicy, type PolicyBinding, policyOf } from './policies.ts';

const GROUP = 'admissionregistration.k8s.io';

export type Phase = 'mutating' | 'validating';

/** by which webhooks are switched off */
const PLUGINS = { mutating: 'MutatingAdmissionWebhook', validating: 'ValidatingAdmissionWebhook' } as const;

/** A webhook that is to be asked, and about which version of the objects. */
export interface Called {
  readonly hook: Hook;
  readonly act: Act;
}

/** A policy that judges, in which version of the objects, and what puts it to work. */
export interface BoundPolicy {
  readonly policy: KnownPolicy;
  readonly act: Act;
  readonly bindings: readonly PolicyBinding[];
}

interface Asked {
  readonly act: Act;
  /** of the object; empty where it has none yet */
  readonly name: string;
}

/** How long a request waits for the configurations to be known. */
const PATIENCE_MS = 10_000;

/**
 * Who has a say in what is written, as the mirrors of their configurations have them: webhooks, and policies.
 *
 * Invariant: whoever waits for a revision here finds what is configured at that revision. Nobody is let through before
 * all configurations are known.
 */
export class Configurations {
  readonly #mirrors: Mirrors;
  readonly #registry: Registry;
  readonly #plugins: Plugins;
  #hooks: Readonly<Record<Phase, readonly Hook[]>> = { mutating: [], validating: [] };
  #policies: readonly KnownPolicy[] = [];
  #bindings: readonly PolicyBinding[] = [];
  /** by resource, what to do with all that there is of it */
  readonly #readers: ReadonlyMap<string, (collection: Collection) => void>;
  readonly #waiting: Set<string>;

  constructor(mirrors: Mirrors, registry: Registry, plugins: Plugins) {
    this.#mirrors = mirrors;
    this.#registry = registry;
    this.#plugins = plugins;
    this.#readers = new Map([
      [`mutatingwebhookconfigurations.${GROUP}`, this.#hooksReader('mutating')],
      [`validatingwebhookconfigurations.${GROUP}`, this.#hooksReader('validating')],
      [
        `validatingadmissionpolicies.${GROUP}`,
        reader(policyOf, (policies) => {
          this.#policies = policies;
        }),
      ],
      [
        `validatingadmissionpolicybindings.${GROUP}`,
        reader(bindingOf, (bindings) => {
          this.#bindings = bindings;
        }),
      ],
    ]);
    this.#waiting = new Set(this.#readers.keys());
  }

  start(): void {
    for (const resource of this.#readers.keys()) {
      this.#mirrors.keep(resource);
      this.#mirrors.follow(resource, () => this.#take(resource));
    }
  }

  get areKnown(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves when the configurations are known as they were some time. */
  async known(): Promise<void> {
    for (const resource of this.#waiting) await this.#reach(resource, toRevision(0));
  }

  /** After a configuration was written here: what it says is so from now on. */
  async through(resource: string, revision: Revision): Promise<void> {
    if (this.#readers.has(resource)) await this.#reach(resource, revision);
  }

  /** Whom the rules name, in the order of the configurations' names and of their own lists. */
  hooksAt(phase: Phase, asked: Asked): Called[] {
    const hooks = this.#hooks[phase];
    if (hooks.length === 0 || isExempt(asked.act) || !this.#plugins.isOn(PLUGINS[phase])) return [];
    return hooks.flatMap((hook) => {
      const act = actFor(hook.matcher, this.#registry, asked);
      return act === undefined ? [] : [{ hook, act }];
    });
  }

  /** The policies that are for this, with those of their bindings that are. */
  policiesAt(asked: Asked): BoundPolicy[] {
    if (this.#bindings.length === 0 || isExempt(asked.act)) return [];
    if (!this.#plugins.isOn('ValidatingAdmissionPolicy')) return [];
    return this.#policies.flatMap((policy) => {
      const bindings = this.#bindings.filter(
        ({ policyName, matcher }) => policyName === policy.name && actFor(matcher, this.#registry, asked) !== undefined,
      );
      const act = bindings.length === 0 ? undefined : actFor(policy.matcher, this.#registry, asked);
      return act === undefined ? [] : [{ policy, act, bindings }];
    });
  }

  async #reach(resource: string, revision: Revision): Promise<void> {
    const collection = await this.#mirrors.collection(resource, revision, PATIENCE_MS);
    if (collection === undefined) throw serviceUnavailable('the configurations of admission are not known yet');
    if (this.#waiting.has(resource)) this.#take(resource);
  }

  #take(resource: string): void {
    const collection = this.#mirrors.peek(resource);
    if (collection === undefined) return;
    this.#readers.get(resource)?.(collection);
    this.#waiting.delete(resource);
  }

  #hooksReader(phase: Phase): (collection: Collection) => void {
    return reader(hooksOf, (hooks) => {
      this.#hooks = { ...this.#hooks, [phase]: hooks.flat() };
    });
  }
}

/** Reads a collection anew when it changes; what has not changed in it is not made again. */
function reader<T>(
  make: (object: JsonObject) => T,
  take: (all: readonly T[]) => void,
): (collection: Collection) => void {
  let known = new Map<string, { readonly revision: number; readonly made: T }>();
  return (collection) => {
    const now: typeof known = new Map();
    for (const { items, from, to } of collection.snapshot().runs('')) {
      for (const { name, revision, json } of items.slice(from, to)) {
        const before = known.get(name);
        const isSame = before?.revision === revision;
        now.set(name, isSame ? before : { revision, made: make(parseOwnJson(json)) });
      }
    }
    known = now;
    take([...now.values()].map(({ made }) => made));
  };
}

const EXEMPT = /^(?:mutating|validating)(?:webhookconfigurations|admissionpolic(?:ies|ybindings))$/;

/** Whoever configures admission is not admitted by it: a webhook that fails could never be put right. */
function isExempt({ kind, resource }: Act): boolean {
  return kind.entry.group === GROUP && EXEMPT.test(resource);
}
