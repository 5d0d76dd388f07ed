import { isJsonObject, type Json, type JsonObject, listOf } from '@tidegate/schema';
import { quotaUsage } from '../families.ts';
import { qualityOfService } from '../pods/quality-of-service.ts';
import { type Amounts, whole } from '../rules/amounts.ts';
import { partOf } from '../rules/fields.ts';

/** Whether an object is in all scopes of a quota. `storedAs` is the name of the resource in the store. */
export function isInScope(storedAs: string, quota: JsonObject, object: JsonObject): boolean {
  return selectorsOf(partOf(quota, 'spec')).every((selector) => selects(storedAs, selector, object));
}

function selectorsOf(spec: JsonObject): JsonObject[] {
  const scopes = Array.isArray(spec.scopes) ? spec.scopes : [];
  const plain = scopes.map((scopeName): JsonObject => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...listOf(partOf(spec, 'scopeSelector'), 'matchExpressions')];
}

function selects(storedAs: string, selector: JsonObject, object: JsonObject): boolean {
  if (storedAs === 'pods') return selectsPod(selector, object);
  if (storedAs !== 'persistentvolumeclaims' || selector.scopeName !== 'VolumeAttributesClass') return false;
  return matches(selector, classesOf(object));
}

function selectsPod(selector: JsonObject, pod: JsonObject): boolean {
  const spec = partOf(pod, 'spec');
  switch (selector.scopeName) {
    case 'Terminating':
      return hasDeadline(spec);
    case 'NotTerminating':
      return !hasDeadline(spec);
    case 'BestEffort':
      return qualityOfService(pod) === 'BestEffort';
    case 'NotBestEffort':
      return qualityOfService(pod) !== 'BestEffort';
    case 'PriorityClass':
      return matches(selector, spec.priorityClassName ? [String(spec.priorityClassName)] : []);
    case 'CrossNamespacePodAffinity':
      return hasForeignAffinity(spec);
    default:
      return false;
  }
}

function hasDeadline({ activeDeadlineSeconds }: JsonObject): boolean {
  return typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0;
}

/** Whether the values of an object match a scope selector. An absent value matches NotIn and DoesNotExist. */
function matches({ operator, values }: JsonObject, present: readonly string[]): boolean {
  const named = Array.isArray(values) ? values : [];
  switch (operator) {
    case 'In':
      return present.some((one) => named.includes(one));
    case 'NotIn':
      return present.length === 0 || present.some((one) => !named.includes(one));
    case 'DoesNotExist':
      return present.length === 0;
    default:
      return present.length > 0;
  }
}

function classesOf(claim: JsonObject): string[] {
  const status = partOf(claim, 'status');
  const names: Array<Json | undefined> = [
    partOf(claim, 'spec').volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    partOf(status, 'modifyVolumeStatus').targetVolumeAttributesClassName,
  ];
  return names.filter(Boolean).map(String);
}

/** Whether a pod has affinity terms with other namespaces. */
function hasForeignAffinity(spec: JsonObject): boolean {
  const affinity = partOf(spec, 'affinity');
  return ['podAffinity', 'podAntiAffinity'].some((name) => {
    const terms = partOf(affinity, name);
    const preferred = listOf(terms, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...listOf(terms, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...preferred.map((one) => partOf(one, 'podAffinityTerm')),
    ].some(
      ({ namespaces, namespaceSelector }) =>
        (Array.isArray(namespaces) && namespaces.length > 0) || isJsonObject(namespaceSelector),
    );
  });
}

/** The names of a quota that objects of a kind count for. `storedAs` is the name of the resource in the store. */
export function countedNames(storedAs: string, names: readonly string[]): string[] {
  const usage = Object.hasOwn(quotaUsage, storedAs) ? quotaUsage[storedAs] : undefined;
  return names.filter(
    (name) => name === `count/${storedAs}` || usage?.names.includes(name) || usage?.countsFor?.(name),
  );
}

/** The amounts that an object uses of quotas. */
export function usageOf(storedAs: string, object: JsonObject): Amounts {
  const amounts = new Map([[`count/${storedAs}`, whole(1)]]);
  const usage = Object.hasOwn(quotaUsage, storedAs) ? quotaUsage[storedAs] : undefined;
  if (usage?.add !== undefined) usage.add(amounts, object);
  else if (usage !== undefined) amounts.set(storedAs, whole(1));
  return amounts;
}
