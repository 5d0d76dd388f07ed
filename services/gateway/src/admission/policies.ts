import { metaOf, type Policy, type Registry, readPolicy } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { type Matcher, matcherOf } from './matcher.ts';

/** A ValidatingAdmissionPolicy, ready to judge. */
export interface KnownPolicy {
  readonly name: string;
  readonly policy: Policy;
  readonly matcher: Matcher;
  readonly ignoresFailure: boolean;
  /** of what kind its parameters are; undefined: it has none */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
}

/** What a policy is put to work by. */
export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  readonly matcher: Matcher;
  readonly denies: boolean;
  readonly warns: boolean;
  /** what it would deny is recorded */
  readonly audits: boolean;
  readonly paramRef: JsonObject | undefined;
}

const MATCH = { rules: 'resourceRules' } as const;

export function policyOf(object: JsonObject): KnownPolicy {
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

/** The kind of a policy's parameters, in the version that it names. */
export function paramKindIn(registry: Pick<Registry, 'all'>, { paramKind }: KnownPolicy) {
  return registry
    .all()
    .find(({ apiVersion, entry }) => apiVersion === paramKind?.apiVersion && entry.kind === paramKind.kind);
}

function specOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}
