import { type Item, itemOf, itemParts } from '@tidegate/collection';
import { isConverted, type Kind, metaOf, type Policy, type Registry, readPolicy } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { StoreSession } from '../clients/store-session.ts';
import type { Conversions } from '../conversion/conversions.ts';
import { type Collections, itemsOf } from '../objects/collections.ts';
import { keyOf } from '../objects/objects.ts';
import { type Matcher, matcherOf, selectorOf } from './matcher.ts';

/** A ValidatingAdmissionPolicy, compiled. */
export interface LoadedPolicy {
  readonly name: string;
  readonly policy: Policy;
  readonly matcher: Matcher;
  readonly ignoresFailure: boolean;
  /** the kind of its parameters; undefined: it has none */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
}

/** A ValidatingAdmissionPolicyBinding. */
export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  readonly matcher: Matcher;
  readonly denies: boolean;
  readonly warns: boolean;
  /** violations are recorded in the audit log */
  readonly audits: boolean;
  readonly paramRef: JsonObject | undefined;
}

const MATCH = { rules: 'resourceRules' } as const;

export function policyOf(object: JsonObject): LoadedPolicy {
  const spec = specOf(object);
  const { apiVersion = '', kind = '' } = isJsonObject(spec.paramKind) ? spec.paramKind : {};
  return {
    name: metaOf(object).name ?? '',
    policy: readPolicy(spec).policy,
    matcher: matcherOf(isJsonObject(spec.matchConstraints) ? spec.matchConstraints : {}, MATCH),
    ignoresFailure: spec.failurePolicy === 'Ignore',
    paramKind: spec.paramKind === undefined ? undefined : { apiVersion: String(apiVersion), kind: String(kind) },
  };
}

export function bindingOf(object: JsonObject): PolicyBinding {
  const spec = specOf(object);
  const actions = Array.isArray(spec.validationActions) ? spec.validationActions : [];
  return {
    name: metaOf(object).name ?? '',
    policyName: String(spec.policyName ?? ''),
    matcher: matcherOf(isJsonObject(spec.matchResources) ? spec.matchResources : {}, { ...MATCH, mayBeAll: true }),
    denies: actions.includes('Deny'),
    warns: actions.includes('Warn'),
    audits: actions.includes('Audit'),
    paramRef: isJsonObject(spec.paramRef) ? spec.paramRef : undefined,
  };
}

/** The kind of a policy's parameters, in the version that the policy names. */
export function paramKindIn(registry: Pick<Registry, 'all'>, { paramKind }: LoadedPolicy) {
  return registry
    .all()
    .find(({ apiVersion, entry }) => apiVersion === paramKind?.apiVersion && entry.kind === paramKind.kind);
}

function specOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}

/** Reads the parameter objects of policies. */
export interface ParamLookups {
  readonly registry: Pick<Registry, 'all' | 'find'>;
  readonly store: Pick<StoreSession, 'read'>;
  readonly collections: Pick<Collections, 'known'>;
  readonly conversions: Pick<Conversions, 'read'>;
}

/** A policy or one of its bindings cannot be evaluated. */
export class Misconfigured extends Error {
  readonly what: 'policy' | 'binding';

  constructor(what: Misconfigured['what'], words: string) {
    super(`failed to configure ${what}: ${words}`);
    this.what = what;
  }
}

/** The parameter objects of a binding; the policy is evaluated once for each. Without parameters: one null. */
export async function paramsOf(
  ports: ParamLookups,
  policy: LoadedPolicy,
  { binding: { paramRef }, namespace }: { binding: PolicyBinding; namespace: string },
): Promise<ReadonlyArray<JsonObject | null>> {
  if (policy.paramKind === undefined || paramRef === undefined) return [null];
  const kind = paramKindIn(ports.registry, policy);
  if (kind === undefined) {
    const { apiVersion, kind: name } = policy.paramKind;
    const missing = `${apiVersion}, Kind=${name}`;
    throw new Misconfigured('policy', `failed to find resource referenced by paramKind: '${missing}'`);
  }
  const found = await objectsNamed(ports, kind, { paramRef, namespace: namespaceOf(kind, paramRef, namespace) });
  if (found.length === 0 && paramRef.parameterNotFoundAction !== 'Allow') {
    throw new Misconfigured('binding', 'no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

function namespaceOf({ entry }: Kind, { namespace: named }: JsonObject, own: string): string {
  if (!entry.namespaced) {
    if (!named) return '';
    throw new Misconfigured('binding', 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const namespace = String(named || own);
  if (namespace === '') {
    throw new Misconfigured(
      'binding',
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }
  return namespace;
}

async function objectsNamed(
  ports: ParamLookups,
  kind: Kind,
  { paramRef, namespace }: { paramRef: JsonObject; namespace: string },
): Promise<JsonObject[]> {
  if (paramRef.name) {
    const { found, object } = await ports.store.read(keyOf(kind, namespace, String(paramRef.name)));
    if (!found || object === null || object.corrupt !== '') return [];
    const [item] = await shownAs(ports, kind, [itemOf(itemParts(object))]);
    return item === undefined ? [] : [parseOwnJson(item.stored().value)];
  }
  const selector = selectorOf(paramRef.selector);
  const collection = await ports.collections.known(kind.storedAs);
  const items = await shownAs(ports, kind, itemsOf(collection.snapshot().runs(namespace)));
  return items
    .filter(({ labels }) => selector === undefined || selector.matches(labels))
    .map(({ json }) => parseOwnJson(json));
}

async function shownAs({ conversions }: ParamLookups, kind: Kind, items: readonly Item[]): Promise<readonly Item[]> {
  return !isConverted(kind) ? items : conversions.read(kind, items);
}
