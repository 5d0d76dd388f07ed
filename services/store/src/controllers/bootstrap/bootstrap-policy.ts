import { isDeepStrictEqual } from 'node:util';
import { type BootstrapObject, bootstrapPolicy, type PolicyRule, uncovered, withVerbsMerged } from '@tidegate/rbac';
import type { Gateway } from '../port.ts';
import { type AggregatingRole, outdatedRoles, RBAC_PATH } from './aggregated-roles.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const PARALLEL = 4;
const RESOURCES = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
} as const;

type Subject = NonNullable<BootstrapObject['subjects']>[number];

export interface PolicyObject {
  readonly kind: BootstrapObject['kind'];
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: BootstrapObject['aggregationRule'];
  readonly roleRef?: BootstrapObject['roleRef'];
  readonly subjects?: readonly Subject[];
}

/**
 * The roles and bindings that every cluster has from the start. At the start of a leader's term missing objects are
 * created, and present ones get the rules and subjects that they lack, unless their annotation forbids it. Afterwards
 * users may change them.
 *
 * Invariant: nothing that a user has added is removed. The next pass retries requests that failed.
 */
export class BootstrapPolicy {
  readonly #gateway: Pick<Gateway, 'send'>;
  readonly #failed: (error: unknown) => void;
  readonly #wanted = wantedPolicy();
  #open: readonly PolicyObject[] = this.#wanted;

  /** failed: called for each object that could not be written in a pass */
  constructor(gateway: Pick<Gateway, 'send'>, failed: (error: unknown) => void) {
    this.#gateway = gateway;
    this.#failed = failed;
  }

  /** `isFirst`: the first pass of a leader's term. */
  async reconcile(isFirst: boolean): Promise<void> {
    if (isFirst) this.#open = this.#wanted;
    if (this.#open.length === 0) return;
    const present = await this.#list();
    const left: PolicyObject[] = [];
    const queue = this.#open.values();
    const work = async () => {
      for (const wanted of queue) {
        const isDone = await this.#write(wanted, present.get(placeOf(wanted))).catch((error: unknown) => {
          this.#failed(error);
          return false;
        });
        if (!isDone) left.push(wanted);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    this.#open = left;
  }

  async #list(): Promise<Map<string, PolicyObject>> {
    const found = new Map<string, PolicyObject>();
    for (const [kind, resource] of Object.entries(RESOURCES)) {
      const { code, body } = await this.#gateway.send('GET', `${RBAC_PATH}/${resource}`);
      if (code !== 200) throw new Error(`the gateway answered ${code} to a list of ${resource}`);
      for (const item of (body.items ?? []) as PolicyObject[])
        found.set(placeOf({ ...item, kind } as PolicyObject), item);
    }
    return found;
  }

  /** Returns whether the object needs no further pass. */
  async #write(wanted: PolicyObject, present: PolicyObject | undefined): Promise<boolean> {
    const { namespace, name } = wanted.metadata;
    const below = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const collection = `${RBAC_PATH}${below}/${RESOURCES[wanted.kind]}`;
    if (present === undefined) {
      const { code } = await this.#gateway.send('POST', collection, { apiVersion: API_VERSION, ...wanted });
      return code === 201;
    }
    const next = reconciled(wanted, present);
    if (next === undefined) return true;
    const path = `${collection}/${encodeURIComponent(name)}`;
    if (next === 'recreate') {
      const { uid } = present.metadata;
      await this.#gateway.send('DELETE', path, { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } });
      return false;
    }
    return (await this.#gateway.send('PUT', path, next)).code === 200;
  }
}

function placeOf({ kind, metadata: { namespace = '', name } }: PolicyObject): string {
  return `${kind}/${namespace}/${name}`;
}

/** The present object with what it lacks; undefined where it lacks nothing. A binding to another role is recreated. */
export function reconciled(wanted: PolicyObject, present: PolicyObject): PolicyObject | 'recreate' | undefined {
  const { metadata } = present;
  if (metadata.annotations?.[AUTOUPDATE] === 'false') return undefined;
  if (wanted.roleRef !== undefined && !isDeepStrictEqual(wanted.roleRef, present.roleRef)) return 'recreate';
  const labels = { ...wanted.metadata.labels, ...metadata.labels };
  const annotations = { ...wanted.metadata.annotations, ...metadata.annotations };
  const next = { ...present, metadata: { ...metadata, labels, annotations }, ...lacking(wanted, present) };
  return isDeepStrictEqual(next, { ...present, metadata: { labels: {}, annotations: {}, ...metadata } })
    ? undefined
    : next;
}

function lacking(wanted: PolicyObject, present: PolicyObject): Partial<PolicyObject> {
  if (wanted.roleRef !== undefined) {
    const { subjects = [] } = present;
    const missing = (wanted.subjects ?? []).filter((one) => !subjects.some((other) => isDeepStrictEqual(one, other)));
    return missing.length === 0 ? {} : { subjects: [...subjects, ...missing] };
  }
  if (wanted.aggregationRule !== undefined) {
    const { clusterRoleSelectors = [] } = present.aggregationRule ?? {};
    const missing = wanted.aggregationRule.clusterRoleSelectors.filter(
      (one) => !clusterRoleSelectors.some((other) => isDeepStrictEqual(one, other)),
    );
    return missing.length === 0
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [...clusterRoleSelectors, ...missing] } };
  }
  const rules = present.rules ?? [];
  const { rules: missing } = uncovered(rules, wanted.rules ?? []);
  return missing.length === 0 ? {} : { rules: [...rules, ...withVerbsMerged(missing)] };
}

/** The objects as they should be; aggregating roles have all their rules. */
export function wantedPolicy(): PolicyObject[] {
  const all = bootstrapPolicy().map(({ kind, namespace, name, labels, ...content }): PolicyObject => {
    const metadata = {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { [AUTOUPDATE]: 'true' },
    };
    return { kind, metadata, ...content };
  });
  const aggregated = outdatedRoles(all.filter(({ kind }) => kind === 'ClusterRole') as AggregatingRole[]);
  return all.map((one) => {
    const rules = aggregated.get(one as AggregatingRole);
    return rules === undefined ? one : { ...one, rules };
  });
}
