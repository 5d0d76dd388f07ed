import type { Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { type AnyView, LiveView, type MirrorPort } from '../live/live-view.ts';
import type { RuleTarget } from './attributes.ts';
import { type Hook, hooksOf, type MatchedHook } from './hooks.ts';
import { matchingTarget } from './matcher.ts';
import { bindingOf, type LoadedPolicy, type PolicyBinding, policyOf } from './policies.ts';

const GROUP = 'admissionregistration.k8s.io';

export type Phase = 'mutating' | 'validating';

/** the plugins by which each kind of webhook is switched on or off */
const PLUGINS = { mutating: 'MutatingAdmissionWebhook', validating: 'ValidatingAdmissionWebhook' } as const;

/** A policy that matches a request, the version in which it sees the objects, and its matching bindings. */
export interface BoundPolicy {
  readonly policy: LoadedPolicy;
  readonly target: RuleTarget;
  readonly bindings: readonly PolicyBinding[];
}

/** Tells which admission plugins are enabled. */
interface Switches {
  isOn(plugin: (typeof PLUGINS)[Phase] | 'ValidatingAdmissionPolicy'): boolean;
}

interface NamedTarget {
  readonly target: RuleTarget;
  /** of the object; empty if it has no name yet */
  readonly name: string;
}

/**
 * The webhooks and policies that take part in admission, from the mirrored configurations.
 *
 * Invariant: a request that waited for a revision uses the configuration at that revision. No write is admitted before
 * all configurations are loaded.
 */
export class Configurations {
  readonly #registry: Registry;
  readonly #plugins: Switches;
  readonly #hooks: Readonly<Record<Phase, LiveView<Hook[]>>>;
  readonly #policies: LiveView<LoadedPolicy>;
  readonly #bindings: LiveView<PolicyBinding>;
  readonly views: readonly AnyView[];

  constructor(mirrors: MirrorPort, registry: Registry, plugins: Switches) {
    this.#registry = registry;
    this.#plugins = plugins;
    const view = <T>(resource: string, make: (object: JsonObject) => T) => {
      const unknown = 'the admission configurations are not loaded yet; retry shortly';
      return new LiveView({ mirrors, resource: `${resource}.${GROUP}`, make, unknown });
    };
    this.#hooks = {
      mutating: view('mutatingwebhookconfigurations', hooksOf),
      validating: view('validatingwebhookconfigurations', hooksOf),
    };
    this.#policies = view('validatingadmissionpolicies', policyOf);
    this.#bindings = view('validatingadmissionpolicybindings', bindingOf);
    this.views = [this.#hooks.mutating, this.#hooks.validating, this.#policies, this.#bindings];
  }

  start(): void {
    for (const view of this.views) view.start();
  }

  get areKnown(): boolean {
    return this.views.every(({ isKnown }) => isKnown);
  }

  /** Resolves when all configurations are loaded. */
  async known(): Promise<void> {
    for (const view of this.views) await view.known();
  }

  /** The webhooks whose rules match, ordered by the names of the configurations and then by their own lists. */
  hooksAt(phase: Phase, named: NamedTarget): MatchedHook[] {
    const hooks = this.#hooks[phase];
    if (hooks.size === 0 || isExempt(named.target) || !this.#plugins.isOn(PLUGINS[phase])) return [];
    return hooks.values.flat().flatMap((hook) => {
      const target = matchingTarget(hook.matcher, this.#registry, named);
      return target === undefined ? [] : [{ hook, target }];
    });
  }

  /** The policies that match, with their matching bindings. */
  policiesAt(named: NamedTarget): BoundPolicy[] {
    if (this.#bindings.size === 0 || isExempt(named.target)) return [];
    if (!this.#plugins.isOn('ValidatingAdmissionPolicy')) return [];
    return this.#policies.values.flatMap((policy) => {
      const bindings = this.#bindings.values.filter(
        ({ policyName, matcher }) =>
          policyName === policy.name && matchingTarget(matcher, this.#registry, named) !== undefined,
      );
      const target = bindings.length === 0 ? undefined : matchingTarget(policy.matcher, this.#registry, named);
      return target === undefined ? [] : [{ policy, target, bindings }];
    });
  }
}

const EXEMPT = /^(?:mutating|validating)(?:webhookconfigurations|admissionpolic(?:ies|ybindings))$/;

/** The admission configurations themselves are exempt: otherwise a failing webhook could prevent its own correction. */
function isExempt({ kind, resource }: RuleTarget): boolean {
  return kind.entry.group === GROUP && EXEMPT.test(resource);
}
