import { metaOf, type Registry, selectorText } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { type LabelSelector, parseLabelSelector } from '@tidegate/selectors';
import { notFound } from '@tidegate/status';
import type { Objects } from '../objects/objects.ts';
import { type Act, type Attributes, equivalents, type ReviewedObjects } from './act.ts';

type Rule = (act: Act, name: string) => boolean;

/** Which requests somebody is concerned with: by what is done to which resource, and by labels. */
export interface Matcher {
  /** undefined: whatever the act is */
  readonly rules: readonly Rule[] | undefined;
  readonly excluded: readonly Rule[];
  /** also of the same objects in another version than the rules name */
  readonly isEquivalent: boolean;
  /** undefined selects everything */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
}

/** The matcher of a webhook, or of the resources that a policy or a binding is for. */
export function matcherOf(
  from: JsonObject,
  { rules = 'rules', mayBeAll = false }: { rules?: string; mayBeAll?: boolean } = {},
): Matcher {
  const wanted = listOf(from, rules).map(ruleOf);
  return {
    rules: mayBeAll && wanted.length === 0 ? undefined : wanted,
    excluded: listOf(from, 'excludeResourceRules').map(ruleOf),
    isEquivalent: from.matchPolicy !== 'Exact',
    namespaceSelector: selectorOf(from.namespaceSelector),
    objectSelector: selectorOf(from.objectSelector),
  };
}

/** As what the rules name the act; undefined: they do not. */
export function actFor(
  { rules, excluded, isEquivalent }: Matcher,
  registry: Registry,
  { act, name }: { act: Act; name: string },
): Act | undefined {
  const others = isEquivalent ? equivalents(registry, act) : [];
  if (excluded.some((rule) => [act, ...others].some((one) => rule(one, name)))) return undefined;
  if (rules === undefined) return act;
  return [act, ...others].find((one) => rules.some((rule) => rule(one, name)));
}

/** Whether labels choose the request, of the objects and of their namespace. */
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

/** undefined selects everything. */
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

/** Where namespaces are looked up. */
export type Namespaces = Pick<Objects, 'namespace' | 'namespaceLabels'>;

/** The labels by which a namespaceSelector chooses; undefined for what is in no namespace, which it does not look at. */
export async function namespaceLabels(
  namespaces: Namespaces,
  { act: { kind, subresource, operation }, namespace, name }: Attributes,
  { object }: ReviewedObjects,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (kind.storedAs === 'namespaces') {
    // what is not stored yet is known from the object alone
    if (subresource === '' && operation !== 'DELETE' && object !== undefined) return labelsOf(object);
    return labelsOfNamespace(namespaces, name);
  }
  return kind.entry.namespaced ? labelsOfNamespace(namespaces, namespace) : undefined;
}

/** The namespace in which something is done; undefined where it is none. */
export async function namespaceObject(
  namespaces: Namespaces,
  { act: { kind }, namespace }: Attributes,
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
