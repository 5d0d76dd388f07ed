import type { Registry } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import { serviceUnavailable } from '@tidegate/status';
import type { Mirrors } from '../mirror/mirrors.ts';
import { type Hook, hooksOf } from './hook.ts';
import { placeFor } from './matcher.ts';
import type { Place } from './place.ts';
import { bindingOf, type KnownPolicy, type PolicyBinding, policyOf } from './policies.ts';

const GROUP = 'admissionregistration.k8s.io';

export type Phase = 'mutating' | 'validating';

/** A webhook that is to be asked, and about which version of the objects. */
export interface Called {
  readonly hook: Hook;
  readonly place: Place;
}

/** A policy that judges, in which version of the objects, and what puts it to work. */
export interface BoundPolicy {
  readonly policy: KnownPolicy;
  readonly place: Place;
  readonly bindings: readonly PolicyBinding[];
}

interface Asked {
  readonly place: Place;
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
  #hooks: Readonly<Record<Phase, readonly Hook[]>> = { mutating: [], validating: [] };
  #policies: readonly KnownPolicy[] = [];
  #bindings: readonly PolicyBinding[] = [];
  /** by resource, what to do with all its objects */
  readonly #readers: ReadonlyMap<string, (objects: readonly JsonObject[]) => void>;
  readonly #waiting: Set<string>;

  constructor(mirrors: Mirrors, registry: Registry) {
    this.#mirrors = mirrors;
    this.#registry = registry;
    const hooks = (phase: Phase) => (objects: readonly JsonObject[]) => {
      this.#hooks = { ...this.#hooks, [phase]: objects.flatMap(hooksOf) };
    };
    this.#readers = new Map([
      [`mutatingwebhookconfigurations.${GROUP}`, hooks('mutating')],
      [`validatingwebhookconfigurations.${GROUP}`, hooks('validating')],
      [
        `validatingadmissionpolicies.${GROUP}`,
        (objects) => {
          this.#policies = objects.map(policyOf);
        },
      ],
      [
        `validatingadmissionpolicybindings.${GROUP}`,
        (objects) => {
          this.#bindings = objects.map(bindingOf);
        },
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
    if (hooks.length === 0 || isExempt(asked.place)) return [];
    return hooks.flatMap((hook) => {
      const place = placeFor(hook.matcher, this.#registry, asked);
      return place === undefined ? [] : [{ hook, place }];
    });
  }

  /** The policies that are for this, with those of their bindings that are. */
  policiesAt(asked: Asked): BoundPolicy[] {
    if (this.#bindings.length === 0 || isExempt(asked.place)) return [];
    return this.#policies.flatMap((policy) => {
      const bindings = this.#bindings.filter(
        ({ policyName, matcher }) =>
          policyName === policy.name && placeFor(matcher, this.#registry, asked) !== undefined,
      );
      const place = bindings.length === 0 ? undefined : placeFor(policy.matcher, this.#registry, asked);
      return place === undefined ? [] : [{ policy, place, bindings }];
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
    const objects: JsonObject[] = [];
    for (const { items, from, to } of collection.snapshot().runs('')) {
      for (const { json } of items.slice(from, to)) objects.push(parseOwnJson(json));
    }
    this.#readers.get(resource)?.(objects);
    this.#waiting.delete(resource);
  }
}

const EXEMPT = /^(?:mutating|validating)(?:webhookconfigurations|admissionpolic(?:ies|ybindings))$/;

/** Whoever configures admission is not admitted by it: a webhook that fails could never be put right. */
function isExempt({ kind, resource }: Place): boolean {
  return kind.entry.group === GROUP && EXEMPT.test(resource);
}
