import { isDeepStrictEqual } from 'node:util';
import { selects } from '@tidegate/kinds';
import type { PolicyRule } from '@tidegate/rbac';
import type { JsonObject } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import type { Gateway } from '../port.ts';

export const RBAC_PATH = '/apis/rbac.authorization.k8s.io/v1';
export const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';

/** A ClusterRole, as far as aggregation reads it. */
export interface AggregatingRole {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly object[] };
}

/**
 * Writes the rules of aggregating ClusterRoles, which select other ClusterRoles by labels.
 *
 * Invariant: a change of a ClusterRole is done only when every aggregating role was found correct or was written.
 */
export class AggregatedRoles {
  readonly #gateway: Gateway;
  #isOpen = true;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** `changed`: the changed keys, or undefined where every object may have changed. */
  async reconcile(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined || changed.length > 0) this.#isOpen = true;
    if (!this.#isOpen) return;
    const { code, body } = await this.#gateway.send('GET', `${RBAC_PATH}/clusterroles`);
    if (code !== 200) return;
    let isDone = true;
    const roles = (body.items ?? []) as AggregatingRole[];
    for (const [role, rules] of outdatedRoles(roles)) isDone = (await this.#write(role, rules)) && isDone;
    this.#isOpen = !isDone;
  }

  /** Returns whether the object needs no further pass. */
  async #write({ metadata }: AggregatingRole, rules: readonly PolicyRule[]): Promise<boolean> {
    const { name, resourceVersion } = metadata;
    const path = `${RBAC_PATH}/clusterroles/${encodeURIComponent(name)}`;
    const { code } = await this.#gateway.patch(path, { metadata: { resourceVersion }, rules });
    return code === 200 || code === 404;
  }
}

/** The roles whose rules are out of date, with the rules they should have. Roles may aggregate one another. */
export function outdatedRoles(roles: readonly AggregatingRole[]): Map<AggregatingRole, readonly PolicyRule[]> {
  const sorted = roles.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const now = new Map(sorted.map((role) => [role, role.rules ?? []]));
  const changed = new Map<AggregatingRole, readonly PolicyRule[]>();
  const aggregating = sorted.filter((role) => (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0);
  // a chain is at most as long as the number of such roles; a circle ends, because each rule is added only once
  for (let pass = 0; pass < aggregating.length; pass++) {
    let isStable = true;
    for (const role of aggregating) {
      const rules = aggregatedRules(role, now);
      if (isDeepStrictEqual(rules, now.get(role))) continue;
      isStable = false;
      now.set(role, rules);
      changed.set(role, rules);
    }
    if (isStable) break;
  }
  for (const [role, rules] of changed) if (isDeepStrictEqual(rules, role.rules ?? [])) changed.delete(role);
  return changed;
}

function aggregatedRules(
  role: AggregatingRole,
  now: ReadonlyMap<AggregatingRole, readonly PolicyRule[]>,
): PolicyRule[] {
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
