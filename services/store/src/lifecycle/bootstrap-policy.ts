import { isDeepStrictEqual } from 'node:util';
import { type BootstrapObject, bootstrapPolicy, joined, type PolicyRule, uncovered } from '@tidegate/rbac';
import { filled, type GatheringRole, RBAC_PATH } from './aggregated-roles.ts';
import type { GatewayClient } from './gateway-client.ts';

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
 * The roles and bindings that every cluster has from its beginning. When this work begins, what is missing is made, and
 * what is there gets the rules and subjects that it lacks, unless its annotation says that it is to be left alone. Later
 * it is left to users.
 *
 * Invariant: nothing that a user has added is taken away; what fails is done again in the next round.
 */
export class BootstrapPolicy {
  readonly #gateway: Pick<GatewayClient, 'send'>;
  readonly #failed: (error: unknown) => void;
  readonly #wanted = wantedPolicy();
  #open: readonly PolicyObject[] = this.#wanted;

  /** failed: for what could not be provided in this round */
  constructor(gateway: Pick<GatewayClient, 'send'>, failed: (error: unknown) => void) {
    this.#gateway = gateway;
    this.#failed = failed;
  }

  /** `begins`: somebody else may have done this work, or nobody. */
  async round(begins: boolean): Promise<void> {
    if (begins) this.#open = this.#wanted;
    if (this.#open.length === 0) return;
    const there = await this.#there();
    const left: PolicyObject[] = [];
    const queue = this.#open.values();
    const work = async () => {
      for (const wanted of queue) {
        const isDone = await this.#provide(wanted, there.get(placeOf(wanted))).catch((error: unknown) => {
          this.#failed(error);
          return false;
        });
        if (!isDone) left.push(wanted);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    this.#open = left;
  }

  async #there(): Promise<Map<string, PolicyObject>> {
    const found = new Map<string, PolicyObject>();
    for (const [kind, resource] of Object.entries(RESOURCES)) {
      const { code, body } = await this.#gateway.send('GET', `${RBAC_PATH}/${resource}`);
      if (code !== 200) throw new Error(`the gateway answered ${code} when it was asked for ${resource}`);
      for (const item of (body.items ?? []) as PolicyObject[])
        found.set(placeOf({ ...item, kind } as PolicyObject), item);
    }
    return found;
  }

  /** Answers whether there is no more to do. */
  async #provide(wanted: PolicyObject, there: PolicyObject | undefined): Promise<boolean> {
    const { namespace, name } = wanted.metadata;
    const below = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const collection = `${RBAC_PATH}${below}/${RESOURCES[wanted.kind]}`;
    if (there === undefined) {
      const { code } = await this.#gateway.send('POST', collection, { apiVersion: API_VERSION, ...wanted });
      return code === 201;
    }
    const next = reconciled(wanted, there);
    if (next === undefined) return true;
    const path = `${collection}/${encodeURIComponent(name)}`;
    if (next === 'anew') {
      const { uid } = there.metadata;
      await this.#gateway.send('DELETE', path, { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } });
      return false;
    }
    return (await this.#gateway.send('PUT', path, next)).code === 200;
  }
}

function placeOf({ kind, metadata: { namespace = '', name } }: PolicyObject): string {
  return `${kind}/${namespace}/${name}`;
}

/** What is there with what it lacks; undefined: nothing. A binding to another role is made anew. */
export function reconciled(wanted: PolicyObject, there: PolicyObject): PolicyObject | 'anew' | undefined {
  const { metadata } = there;
  if (metadata.annotations?.[AUTOUPDATE] === 'false') return undefined;
  if (wanted.roleRef !== undefined && !isDeepStrictEqual(wanted.roleRef, there.roleRef)) return 'anew';
  const labels = { ...wanted.metadata.labels, ...metadata.labels };
  const annotations = { ...wanted.metadata.annotations, ...metadata.annotations };
  const next = { ...there, metadata: { ...metadata, labels, annotations }, ...lacking(wanted, there) };
  return isDeepStrictEqual(next, { ...there, metadata: { labels: {}, annotations: {}, ...metadata } })
    ? undefined
    : next;
}

function lacking(wanted: PolicyObject, there: PolicyObject): Partial<PolicyObject> {
  if (wanted.roleRef !== undefined) {
    const { subjects = [] } = there;
    const missing = (wanted.subjects ?? []).filter((one) => !subjects.some((other) => isDeepStrictEqual(one, other)));
    return missing.length === 0 ? {} : { subjects: [...subjects, ...missing] };
  }
  if (wanted.aggregationRule !== undefined) {
    const { clusterRoleSelectors = [] } = there.aggregationRule ?? {};
    const missing = wanted.aggregationRule.clusterRoleSelectors.filter(
      (one) => !clusterRoleSelectors.some((other) => isDeepStrictEqual(one, other)),
    );
    return missing.length === 0
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [...clusterRoleSelectors, ...missing] } };
  }
  const rules = there.rules ?? [];
  const { rules: missing } = uncovered(rules, wanted.rules ?? []);
  return missing.length === 0 ? {} : { rules: [...rules, ...joined(missing)] };
}

/** As they are to be, roles that gather others with all their rules. */
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
  const gathered = filled(all.filter(({ kind }) => kind === 'ClusterRole') as GatheringRole[]);
  return all.map((one) => {
    const rules = gathered.get(one as GatheringRole);
    return rules === undefined ? one : { ...one, rules };
  });
}
