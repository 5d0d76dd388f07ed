import { metaOf, type Registry, selectorText } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { type LabelSelector, parseLabelSelector } from '@tidegate/selectors';
import { notFound } from '@tidegate/status';
import type { Objects } from '../objects/objects.ts';
import { type Attributes, equivalentTargets, type ReviewedObjects, type RuleTarget } from './attributes.ts';

type Rule = (target: RuleTarget, name: string) => boolean;

/** Selects requests: by operation and resource, and by labels. */
export interface Matcher {
  /** undefined: all targets match */
  readonly rules: readonly Rule[] | undefined;
  readonly excluded: readonly Rule[];
  /** matchPolicy Equivalent: the rules also match the same objects in other versions */
  readonly isEquivalent: boolean;
  /** undefined selects everything */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
}

/** The matcher of a webhook, a policy or a binding. */
export function matcherOf(
  from: JsonObject,
  { rules = 'rules', mayBeAll = false }: { rules?: string; mayBeAll?: boolean } = {},
): Matcher {
  const included = listOf(from, rules).map(ruleOf);
  return {
    rules: mayBeAll && included.length === 0 ? undefined : included,
    excluded: listOf(from, 'excludeResourceRules').map(ruleOf),
    isEquivalent: from.matchPolicy !== 'Exact',
    namespaceSelector: selectorOf(from.namespaceSelector),
    objectSelector: selectorOf(from.objectSelector),
  };
}

/** The target, or the equivalent target, that the rules match; undefined: they match none. */
export function matchingTarget(
  { rules, excluded, isEquivalent }: Matcher,
  registry: Registry,
  { target, name }: { target: RuleTarget; name: string },
): RuleTarget | undefined {
  const others = isEquivalent ? equivalentTargets(registry, target) : [];
  if (excluded.some((rule) => [target, ...others].some((one) => rule(one, name)))) return undefined;
  if (rules === undefined) return target;
  return [target, ...others].find((one) => rules.some((rule) => rule(one, name)));
}

/** Whether the label selectors match the objects and their namespace. */
export async function isSelected(
  { namespaceSelector, objectSelector }: Matcher,
  namespaces: Namespaces,
  { attributes, objects }: { attributes: Attributes; objects: ReviewedObjects },
): Promise<boolean> {
  const { object, old } = objects;
  const matches = [object, old].some((one) => one !== undefined && objectSelector?.matches(labelsOf(one)));
  if (objectSelector !== undefined && !matches) return false;
  if (namespaceSelector === undefined) return true;
  const labels = await namespaceLabels(namespaces, attributes, objects);
  return labels === undefined || namespaceSelector.matches(labels);
}

export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  return metaOf(object).labels ?? {};
}

/** undefined: the selector matches everything. */
export function selectorOf(selector: unknown): LabelSelector | undefined {
  const { matchLabels, matchExpressions } = isJsonObject(selector) ? selector : {};
  const isEmpty = [matchLabels, matchExpressions].every((part) => Object.keys(part ?? {}).length === 0);
  return isEmpty ? undefined : parseLabelSelector(selectorText(selector as JsonObject));
}

function ruleOf(rule: JsonObject): Rule {
  const operations = anyOf(textsIn(rule, 'operations'));
  const groups = anyOf(textsIn(rule, 'apiGroups'));
  const versions = anyOf(textsIn(rule, 'apiVersions'));
  const resources = textsIn(rule, 'resources').map((pattern) => pattern.split('/'));
  const names = textsIn(rule, 'resourceNames');
  const scope = rule.scope ?? '*';
  return ({ operation, kind: { entry }, subresource, resource }, name) =>
    operations(operation) &&
    groups(entry.group) &&
    versions(entry.version) &&
    (scope === '*' || (scope === 'Namespaced') === entry.namespaced) &&
    (names.length === 0 || names.includes(name)) &&
    resources.some(([own = '', below = '']) => isOneOf(own, resource) && isOneOf(below, subresource));
}

function isOneOf(pattern: string, text: string): boolean {
  return pattern === '*' || pattern === text;
}

function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const texts = new Set(patterns);
  return texts.has('*') ? () => true : (text) => texts.has(text);
}

function textsIn(object: JsonObject, name: string): string[] {
  const list = object[name];
  return Array.isArray(list) ? list.map(String) : [];
}

/** Reads namespaces. */
export type Namespaces = Pick<Objects, 'namespace' | 'namespaceLabels'>;

/** The labels that a namespaceSelector is matched against; undefined for cluster-scoped objects, which it ignores. */
export async function namespaceLabels(
  namespaces: Namespaces,
  { target: { kind, subresource, operation }, namespace, name }: Attributes,
  { object }: ReviewedObjects,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (kind.storedAs === 'namespaces') {
    // a namespace that is not stored yet has its labels in the request only
    if (subresource === '' && operation !== 'DELETE' && object !== undefined) return labelsOf(object);
    return labelsOfNamespace(namespaces, name);
  }
  return kind.entry.namespaced ? labelsOfNamespace(namespaces, namespace) : undefined;
}

/** The namespace of the request; undefined for cluster-scoped objects. */
export async function namespaceObject(
  namespaces: Namespaces,
  { target: { kind }, namespace }: Attributes,
): Promise<JsonObject | undefined> {
  return kind.entry.namespaced && namespace !== ''
    ? found(namespace, await namespaces.namespace(namespace))
    : undefined;
}

async function labelsOfNamespace(namespaces: Namespaces, name: string): Promise<Readonly<Record<string, string>>> {
  return found(name, await namespaces.namespaceLabels(name));
}

function found<T>(name: string, namespace: T | undefined): T {
  if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
  return namespace;
}
