import { metaOf, type Registry, selectorText } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { type LabelSelector, parseLabelSelector } from '@tidegate/selectors';
import type { Gateway } from '../gateway.ts';
import { type Act, equivalents } from './act.ts';
import { namespaceLabels } from './namespace-labels.ts';
import type { Attributes, Objects } from './review.ts';

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
  gateway: Gateway,
  { attributes, objects }: { attributes: Attributes; objects: Objects },
): Promise<boolean> {
  const { object, old } = objects;
  const matches = [object, old].some((one) => one !== undefined && objectSelector?.matches(labelsOf(one)));
  if (objectSelector !== undefined && !matches) return false;
  if (namespaceSelector === undefined) return true;
  const labels = await namespaceLabels(gateway, attributes, objects);
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
