import { isDeepStrictEqual } from 'node:util';
import { selects } from '@tidegate/kinds';
import type { PolicyRule } from '@tidegate/rbac';
import type { JsonObject } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import type { GatewayClient } from './gateway-client.ts';

export const RBAC_PATH = '/apis/rbac.authorization.k8s.io/v1';
export const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';

/** A ClusterRole, as far as gathering rules goes. */
export interface GatheringRole {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly object[] };
}

/**
 * ClusterRoles that gather the rules of others, by labels.
 *
 * Invariant: a change of a ClusterRole is struck off only when every role that gathers was found to say what it should, or
 * was made to.
 */
export class AggregatedRoles {
  readonly #gateway: Pick<GatewayClient, 'send' | 'patch'>;
  #isOpen = true;

  constructor(gateway: Pick<GatewayClient, 'send' | 'patch'>) {
    this.#gateway = gateway;
  }

  /** The changed keys, or undefined when all may have changed. */
  async round(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined || changed.length > 0) this.#isOpen = true;
    if (!this.#isOpen) return;
    const { code, body } = await this.#gateway.send('GET', `${RBAC_PATH}/clusterroles`);
    if (code !== 200) return;
    let isDone = true;
    const roles = (body.items ?? []) as GatheringRole[];
    for (const [role, rules] of filled(roles)) isDone = (await this.#write(role, rules)) && isDone;
    this.#isOpen = !isDone;
  }

  /** Answers whether there is no more to do. */
  async #write({ metadata }: GatheringRole, rules: readonly PolicyRule[]): Promise<boolean> {
    const { name, resourceVersion } = metadata;
    const path = `${RBAC_PATH}/clusterroles/${encodeURIComponent(name)}`;
    const { code } = await this.#gateway.patch(path, { metadata: { resourceVersion }, rules });
    return code === 200 || code === 404;
  }
}

/** The roles that do not say what they gather, with what they should say. Who gathers from them is counted in. */
export function filled(roles: readonly GatheringRole[]): Map<GatheringRole, readonly PolicyRule[]> {
  const sorted = roles.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const now = new Map(sorted.map((role) => [role, role.rules ?? []]));
  const changed = new Map<GatheringRole, readonly PolicyRule[]>();
  const gathering = sorted.filter((role) => (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0);
  // a chain is as long as there are such roles at most; a circle comes to rest, because rules are only taken once
  for (let turn = 0; turn < gathering.length; turn++) {
    let isAtRest = true;
    for (const role of gathering) {
      const rules = gatheredBy(role, now);
      if (isDeepStrictEqual(rules, now.get(role))) continue;
      isAtRest = false;
      now.set(role, rules);
      changed.set(role, rules);
    }
    if (isAtRest) break;
  }
  for (const [role, rules] of changed) if (isDeepStrictEqual(rules, role.rules ?? [])) changed.delete(role);
  return changed;
}

function gatheredBy(role: GatheringRole, now: ReadonlyMap<GatheringRole, readonly PolicyRule[]>): PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    for (const [other, rules] of now) {
      if (other === role || !selects(selector as JsonObject, other.metadata.labels ?? {})) continue;
      for (const rule of rules) {
        const key = JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));
        if (!found.has(key)) found.set(key, rule);
      }
    }
  }
  return [...found.values()];
}
