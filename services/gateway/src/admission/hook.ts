import { type MatchCondition, metaOf, readCondition, selectorText } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { type LabelSelector, parseLabelSelector } from '@tidegate/selectors';
import { listIn } from '../proxy/service-address.ts';
import type { Place } from './place.ts';
import type { ServiceReference } from './service-targets.ts';
import type { ClientConfig } from './webhook-calls.ts';

/** One webhook of a configuration: what it wants to be asked about, and how. */
export interface Hook {
  readonly name: string;
  readonly config: ClientConfig;
  /** the version in which it is asked, of those that it knows */
  readonly review: 'v1' | 'v1beta1';
  readonly timeoutMs: number;
  /** what it does not answer is let through */
  readonly ignoresFailure: boolean;
  /** a dry run may ask it */
  readonly isHarmless: boolean;
  /** asked again when others changed the object after it */
  readonly reinvoked: boolean;
  /** also asked of the same objects in another version than its rules name */
  readonly isEquivalent: boolean;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  /** what else must hold of the request */
  readonly conditions: readonly MatchCondition[];
  isAsked(place: Place): boolean;
}

const USUAL_SECONDS = 10;
const HARMLESS = new Set(['None', 'NoneOnDryRun']);

/** The webhooks of a configuration, in their order. */
export function hooksOf(configuration: JsonObject): Hook[] {
  return listIn(configuration, 'webhooks').map(hookOf);
}

function hookOf(webhook: JsonObject): Hook {
  const rules = listIn(webhook, 'rules').map(ruleOf);
  const versions = textsIn(webhook, 'admissionReviewVersions');
  return {
    name: String(webhook.name),
    config: clientConfigOf(webhook.clientConfig),
    review: versions.find((version) => version === 'v1' || version === 'v1beta1') ?? 'v1',
    timeoutMs: Number(webhook.timeoutSeconds ?? USUAL_SECONDS) * 1000,
    ignoresFailure: webhook.failurePolicy === 'Ignore',
    isHarmless: HARMLESS.has(String(webhook.sideEffects)),
    reinvoked: webhook.reinvocationPolicy === 'IfNeeded',
    isEquivalent: webhook.matchPolicy !== 'Exact',
    namespaceSelector: selectorOf(webhook.namespaceSelector),
    objectSelector: selectorOf(webhook.objectSelector),
    conditions: listIn(webhook, 'matchConditions').map(conditionOf),
    isAsked: (place) => rules.some((matches) => matches(place)),
  };
}

/** One that was written under other rules, and cannot be read any more, fails whenever it is looked at. */
function conditionOf({ expression }: JsonObject): MatchCondition {
  const read = readCondition(String(expression));
  return 'problem' in read ? { expression: String(expression), program: undefined } : read;
}

/** undefined selects everything. */
function selectorOf(selector: unknown): LabelSelector | undefined {
  const { matchLabels, matchExpressions } = isJsonObject(selector) ? selector : {};
  const isEmpty = [matchLabels, matchExpressions].every((part) => Object.keys(part ?? {}).length === 0);
  return isEmpty ? undefined : parseLabelSelector(selectorText(selector as JsonObject));
}

export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  return metaOf(object).labels ?? {};
}

function ruleOf(rule: JsonObject): (place: Place) => boolean {
  const operations = anyOf(textsIn(rule, 'operations'));
  const groups = anyOf(textsIn(rule, 'apiGroups'));
  const versions = anyOf(textsIn(rule, 'apiVersions'));
  const resources = textsIn(rule, 'resources').map((pattern) => pattern.split('/'));
  const scope = rule.scope ?? '*';
  return ({ operation, kind: { entry }, subresource, resource }) =>
    operations(operation) &&
    groups(entry.group) &&
    versions(entry.version) &&
    (scope === '*' || (scope === 'Namespaced') === entry.namespaced) &&
    resources.some(([name = '', below = '']) => oneOf(name, resource) && oneOf(below, subresource));
}

function oneOf(pattern: string, text: string): boolean {
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

function clientConfigOf(value: unknown): ClientConfig {
  const config = isJsonObject(value) ? value : {};
  return {
    ...(typeof config.url === 'string' ? { url: config.url } : {}),
    ...(typeof config.caBundle === 'string' ? { caBundle: config.caBundle } : {}),
    ...(isJsonObject(config.service) ? { service: config.service as unknown as ServiceReference } : {}),
  };
}
