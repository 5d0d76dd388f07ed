import { canonicalQuantity, isJsonObject, type JsonObject } from '@tidegate/schema';
import { invalidValue } from '@tidegate/status';
import type { Family } from '../family.ts';
import { labelKeyProblems } from '../objects/names.ts';
import { amountNames, amountOf, amounts, isCounted } from '../rules/amount-checks.ts';
import { IMMUTABLE, sameValue } from '../rules/checks.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';
import type { Place } from '../rules/place.ts';
import type { Check } from '../rules/type-rules.ts';
import type { Warnings } from '../rules/warnings.ts';

const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const OPERATORS = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** The resources that a scope can count. */
const IN_SCOPE = /^(?:pods|cpu|memory|(?:requests|limits)\.(?:cpu|memory))$/;

const scopes: Check = (spec) => {
  const place = spec.field('scopes');
  const all = place.list.map(String);
  if (all.some((scope) => !SCOPES.includes(scope))) place.invalid('unsupported scope');
  for (const [one, other] of OPPOSITES) {
    if (all.includes(one as string) && all.includes(other as string)) place.invalid('conflicting scopes');
  }
  const counted = Object.keys(spec.field('hard').object);
  const unsupported = unsupportedByScope(counted);
  for (const scope of all) addUnsupported(place, unsupported.get(scope) ?? 0);
};

/** Adds one error for each resource that a scope cannot count. */
function addUnsupported(place: Place, count: number): void {
  place.addError(() => invalidValue(place.path, place.value ?? null, UNSUPPORTED), count);
}
const UNSUPPORTED = 'unsupported scope applied to resource';

/** The number of resources that each scope cannot count. Extended resources are not checked. */
function unsupportedByScope(counted: readonly string[]): ReadonlyMap<string, number> {
  const known = counted.filter(isCounted);
  return new Map(
    SCOPES.map((scope) => {
      const fits = SCOPED[scope] ?? IN_SCOPE;
      return [scope, known.filter((name) => !fits.test(name)).length];
    }),
  );
}
const SCOPED: Readonly<Record<string, RegExp>> = {
  BestEffort: /^pods$/,
  VolumeAttributesClass: /^(?:persistentvolumeclaims|requests\.storage)$/,
};

const scopeSelector: Check = (place) => {
  const expressions = place.field('matchExpressions');
  const counted = Object.keys(place.up(1).field('hard').object);
  const unsupported = unsupportedByScope(counted);
  for (const one of expressions.items()) {
    const { operator, scopeName, values } = one.object as { operator?: string; scopeName?: string; values?: string[] };
    // Kubernetes reports these errors for the list, without the index
    const of = (name: string): Place => expressions.as(name, one.object[name]);
    if (!SCOPES.includes(scopeName ?? '')) of('scopeName').invalid('unsupported scope');
    if (WITHOUT_VALUE.has(scopeName ?? '') && operator !== 'Exists')
      of('operator').invalid(ONLY_EXISTS, operator ?? '');
    addUnsupported(expressions, unsupported.get(scopeName ?? '') ?? 0);
    if (!OPERATORS.has(operator ?? '')) of('operator').invalid('not a valid selector operator');
    else if (operator?.endsWith('In') && (values ?? []).length === 0) {
      of('values').required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    } else if (operator?.includes('Exist') && (values ?? []).length > 0) {
      of('values').invalid("must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    }
  }
};

const WITHOUT_VALUE = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'CrossNamespacePodAffinity',
]);
const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function quotaUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec.scopes'), old.field('spec.scopes')];
  if (!sameValue([...now.list].sort(), [...before.list].sort())) now.invalid(IMMUTABLE);
}

const BOUNDS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Pairs in which the first may not be above the second, with the names in the error, its field and its value. */
const ORDER: ReadonlyArray<readonly [below: string, above: string, text: [string, string], of: string, value: string]> =
  [
    ['min', 'max', ['min', 'max'], 'min', 'min'],
    ['min', 'defaultRequest', ['min', 'default request'], 'defaultRequest', 'defaultRequest'],
    ['defaultRequest', 'max', ['default request', 'max'], 'defaultRequest', 'defaultRequest'],
    ['defaultRequest', 'default', ['default request', 'default limit'], 'defaultRequest', 'defaultRequest'],
    ['min', 'default', ['min', 'default'], 'default', 'min'],
    ['default', 'max', ['default', 'max'], 'default', 'max'],
  ];

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];

const limit: Check = (place) => {
  const type = place.field('type');
  const problems = labelKeyProblems(type.text);
  type.invalidFor(problems, type.text);
  if (problems.length === 0 && !type.text.includes('/') && !TYPES.includes(type.text)) {
    type.invalid('must be a standard limit type or fully qualified');
  }
  const bound = (name: string): JsonObject => place.field(name).object;
  const ofPods = type.text === 'Pod';
  for (const name of BOUNDS) {
    const field = place.field(name);
    if (ofPods && name.startsWith('default') && !field.isEmpty)
      field.forbidden("may not be specified when `type` is 'Pod'");
    else amountNames(ofPods || type.text === 'Container' ? 'containers' : undefined)(field);
  }
  for (const [below, above, [low, high], of, value] of ORDER) {
    if (ofPods && of.startsWith('default')) continue;
    const places = new Map(
      place
        .field(of)
        .entries()
        .map((entry) => [entry.step, entry]),
    );
    for (const [key, least] of Object.entries(bound(below))) {
      const most = bound(above)[key];
      if (most === undefined || amountOf(least) <= amountOf(most)) continue;
      const text = `${low} value ${least} is greater than ${high} value ${most}`;
      places.get(key)?.invalid(text, bound(value)[key]);
    }
  }
  ratios(place);
  if (
    type.text === 'PersistentVolumeClaim' &&
    bound('min').storage === undefined &&
    bound('max').storage === undefined
  ) {
    place.as('limits', null).required('either minimum or maximum storage value is required, but neither was provided');
  }
};

function ratios(place: Place): void {
  for (const one of place.field('maxLimitRequestRatio').entries()) {
    if (amountOf(one.value) < amountOf('1')) one.invalid(`ratio ${one.text} is less than 1`);
  }
}

const types: Check = (place) => {
  const seen = new Set<string>();
  for (const one of place.items()) {
    const type = one.field('type');
    if (seen.has(type.text)) type.duplicate();
    seen.add(type.text);
  }
};

function quotaUse(quota: JsonObject, limits: boolean): string {
  const hard = (valueAt(quota, 'status.hard') ?? {}) as JsonObject;
  const used = (valueAt(quota, 'status.used') ?? {}) as JsonObject;
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith('limits') === limits)
    .map((name) => `${name}: ${String(used[name] ?? '0')}/${String(hard[name])}`)
    .join(', ');
}

/** The default limit of containers is max, and the default request is the default limit or min. */
function limitRange({ spec }: JsonObject): void {
  const limits = isJsonObject(spec) && Array.isArray(spec.limits) ? spec.limits.filter(isJsonObject) : [];
  for (const limit of limits) {
    if (limit.type !== 'Container') continue;
    const bound = (name: string) => (limit[name] ?? {}) as JsonObject;
    setSome(limit, 'default', { ...bound('max'), ...bound('default') });
    setSome(limit, 'defaultRequest', { ...bound('min'), ...bound('default'), ...bound('defaultRequest') });
  }
}

function setSome(holder: JsonObject, name: string, amounts: JsonObject): void {
  if (Object.keys(amounts).length > 0) holder[name] = amounts;
}

/** Warns of a quota whose limit is below its request. */
const warnOfQuota: Warnings = (quota, warn, old) => {
  if (old !== undefined) return;
  const hard = quota.field('spec.hard').object;
  for (const name of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const isBare = hard[`requests.${name}`] === undefined && (name === 'cpu' || name === 'memory');
    const request = isBare ? name : `requests.${name}`;
    const limit = `limits.${name}`;
    if (hard[request] === undefined || hard[limit] === undefined) continue;
    if (amountOf(hard[request]) <= amountOf(hard[limit])) continue;
    const shown = (key: string) => `${key} (${canonicalQuantity(String(hard[key]))})`;
    warn(`ResourceQuota ${shown(request)} should be less than ${shown(limit)}`);
  }
};

/** Resource quotas and limit ranges. */
export const limits: Family = {
  rules: { limitranges: { createsOnUpdate: true }, resourcequotas: { deleteReturnsObject: true } },
  defaults: { limitranges: limitRange },
  columns: {
    resourcequotas: [
      nameColumn,
      column('Request', 'Used and allowed requests', (quota) => quotaUse(quota, false)),
      column('Limit', 'Used and allowed limits', (quota) => quotaUse(quota, true)),
      ageColumn,
    ],
  },
  updates: { resourcequotas: { '': quotaUpdate } },
  warnings: { resourcequotas: warnOfQuota },
  usage: { resourcequotas: { names: ['resourcequotas'] } },
  types: {
    'core.v1.ResourceQuotaSpec': { hard: amounts('quota'), scopeSelector, '': scopes },
    'core.v1.LimitRangeSpec': { limits: types },
    'core.v1.LimitRangeItem': { '': limit },
  },
};
