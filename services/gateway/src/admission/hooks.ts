import type { Registry } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import { parseOwnJson } from '@tidegate/schema';
import { serviceUnavailable } from '@tidegate/status';
import type { Mirrors } from '../mirror/mirrors.ts';
import { type Hook, hooksOf } from './hook.ts';
import { equivalents, type Place } from './place.ts';

const GROUP = 'admissionregistration.k8s.io';
const RESOURCES = {
  mutating: `mutatingwebhookconfigurations.${GROUP}`,
  validating: `validatingwebhookconfigurations.${GROUP}`,
} as const;

export type Phase = keyof typeof RESOURCES;

/** A webhook that is to be asked, and about which version of the objects. */
export interface Called {
  readonly hook: Hook;
  readonly place: Place;
}

/** How long a request waits for the configurations to be known. */
const PATIENCE_MS = 10_000;

/**
 * The webhooks that are configured, as the mirrors of their configurations have them.
 *
 * Invariant: whoever waits for a revision here finds the webhooks that there are at that revision. Nobody is let
 * through before the configurations are known.
 */
export class Hooks {
  readonly #mirrors: Mirrors;
  readonly #registry: Registry;
  readonly #hooks: Record<Phase, readonly Hook[]> = { mutating: [], validating: [] };
  readonly #waiting = new Set<string>(Object.values(RESOURCES));

  constructor(mirrors: Mirrors, registry: Registry) {
    this.#mirrors = mirrors;
    this.#registry = registry;
  }

  start(): void {
    for (const [phase, resource] of Object.entries(RESOURCES)) {
      this.#mirrors.keep(resource);
      this.#mirrors.follow(resource, () => this.#take(phase as Phase, resource));
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
    if (Object.values(RESOURCES).some((own) => own === resource)) await this.#reach(resource, revision);
  }

  /** Whom the rules name, in the order of the configurations' names and of their own lists. */
  at(phase: Phase, place: Place): Called[] {
    const hooks = this.#hooks[phase];
    if (hooks.length === 0 || isExempt(place)) return [];
    let others: Place[] | undefined;
    const called: Called[] = [];
    for (const hook of hooks) {
      if (hook.isAsked(place)) called.push({ hook, place });
      else if (hook.isEquivalent) {
        others ??= equivalents(this.#registry, place);
        const other = others.find((one) => hook.isAsked(one));
        if (other !== undefined) called.push({ hook, place: other });
      }
    }
    return called;
  }

  async #reach(resource: string, revision: Revision): Promise<void> {
    const collection = await this.#mirrors.collection(resource, revision, PATIENCE_MS);
    if (collection === undefined) throw serviceUnavailable('the configurations of webhooks are not known yet');
    if (this.#waiting.has(resource)) {
      for (const [phase, own] of Object.entries(RESOURCES)) if (own === resource) this.#take(phase as Phase, resource);
    }
  }

  #take(phase: Phase, resource: string): void {
    const collection = this.#mirrors.peek(resource);
    if (collection === undefined) return;
    const hooks: Hook[] = [];
    for (const { items, from, to } of collection.snapshot().runs('')) {
      for (const { json } of items.slice(from, to)) hooks.push(...hooksOf(parseOwnJson(json)));
    }
    this.#hooks[phase] = hooks;
    this.#waiting.delete(resource);
  }
}

const EXEMPT = /^(?:mutating|validating)(?:webhookconfigurations|admissionpolic(?:ies|ybindings))$/;

/** Whoever configures admission is not admitted by it: a webhook that fails could never be put right. */
function isExempt({ kind, resource }: Place): boolean {
  return kind.entry.group === GROUP && EXEMPT.test(resource);
}
