import type { Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { type AnyView, LiveView, type MirrorPort } from '../live/live-view.ts';
import type { Act } from './act.ts';
import { type Called, type Hook, hooksOf } from './hooks.ts';
import { actFor } from './matcher.ts';
import { bindingOf, type KnownPolicy, type PolicyBinding, policyOf } from './policies.ts';

const GROUP = 'admissionregistration.k8s.io';

export type Phase = 'mutating' | 'validating';

/** by which webhooks are switched off */
const PLUGINS = { mutating: 'MutatingAdmissionWebhook', validating: 'ValidatingAdmissionWebhook' } as const;

/** A policy that judges, in which version of the objects, and what puts it to work. */
export interface BoundPolicy {
  readonly policy: KnownPolicy;
  readonly act: Act;
  readonly bindings: readonly PolicyBinding[];
}

/** Which of the admission plugins are enabled. */
interface Switches {
  isOn(plugin: (typeof PLUGINS)[Phase] | 'ValidatingAdmissionPolicy'): boolean;
}

interface Asked {
  readonly act: Act;
  /** of the object; empty where it has none yet */
  readonly name: string;
}

/**
 * The webhooks and policies that take part in admission, as the mirrors have their configurations.
 *
 * Invariant: a request that waited for a revision finds what is configured at that revision. No write is admitted before
 * all configurations are loaded.
 */
export class Configurations {
  readonly #registry: Registry;
  readonly #plugins: Switches;
  readonly #hooks: Readonly<Record<Phase, LiveView<Hook[]>>>;
  readonly #policies: LiveView<KnownPolicy>;
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

  /** Resolves when the configurations are loaded, in whichever state. */
  async known(): Promise<void> {
    for (const view of this.views) await view.known();
  }

  /** Whom the rules name, in the order of the configurations' names and of their own lists. */
  hooksAt(phase: Phase, asked: Asked): Called[] {
    const hooks = this.#hooks[phase];
    if (hooks.size === 0 || isExempt(asked.act) || !this.#plugins.isOn(PLUGINS[phase])) return [];
    return hooks.values.flat().flatMap((hook) => {
      const act = actFor(hook.matcher, this.#registry, asked);
      return act === undefined ? [] : [{ hook, act }];
    });
  }

  /** The policies that are for this, with those of their bindings that are. */
  policiesAt(asked: Asked): BoundPolicy[] {
    if (this.#bindings.size === 0 || isExempt(asked.act)) return [];
    if (!this.#plugins.isOn('ValidatingAdmissionPolicy')) return [];
    return this.#policies.values.flatMap((policy) => {
      const bindings = this.#bindings.values.filter(
        ({ policyName, matcher }) => policyName === policy.name && actFor(matcher, this.#registry, asked) !== undefined,
      );
      const act = bindings.length === 0 ? undefined : actFor(policy.matcher, this.#registry, asked);
      return act === undefined ? [] : [{ policy, act, bindings }];
    });
  }
}

const EXEMPT = /^(?:mutating|validating)(?:webhookconfigurations|admissionpolic(?:ies|ybindings))$/;

/** Whoever configures admission is not admitted by it: a webhook that fails could never be put right. */
function isExempt({ kind, resource }: Act): boolean {
  return kind.entry.group === GROUP && EXEMPT.test(resource);
}
