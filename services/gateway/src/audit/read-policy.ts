import { readFileSync } from 'node:fs';
import { closestName, OptionError } from '@tidegate/options';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { decodeYaml } from '../codec/decode-yaml.ts';
import { AuditPolicy, type AuditRule, type Level, levels, type ResourceRule, type Stage, stages } from './policy.ts';

const API_VERSION = 'audit.k8s.io/v1';

/** The policy in a file of --audit-policy-file. What cannot be meant is refused, with the field and what to do. */
export function readPolicy(file: string): AuditPolicy {
  try {
    return policyOf(decodeYaml(readFileSync(file)).value as Json);
  } catch (error) {
    throw new OptionError(`--audit-policy-file ${file}: ${(error as Error).message}`, { cause: error });
  }
}

export function policyOf(value: Json): AuditPolicy {
  const policy = objectAt(value, 'the policy');
  const { apiVersion, kind, rules, omitStages, omitManagedFields } = fieldsOf(policy, '', [
    'apiVersion',
    'kind',
    'metadata',
    'rules',
    'omitStages',
    'omitManagedFields',
  ]);
  if (apiVersion !== API_VERSION || kind !== 'Policy') {
    throw new Error(`it must be a Policy of ${API_VERSION}, and is ${String(kind)} of ${String(apiVersion)}`);
  }
  const everywhere = stagesAt(omitStages, 'omitStages');
  const omits = flagAt(omitManagedFields, 'omitManagedFields') ?? false;
  const list = listAt(rules, 'rules');
  if (list.length === 0) throw new Error('rules: there must be at least one');
  return new AuditPolicy(list.map((rule, i) => ruleOf(rule, `rules[${i}]`, { everywhere, omits })));
}

interface Usual {
  readonly everywhere: readonly Stage[];
  readonly omits: boolean;
}

const RULE_FIELDS = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
] as const;

function ruleOf(value: Json, at: string, usual: Usual): AuditRule {
  const fields = fieldsOf(objectAt(value, at), at, RULE_FIELDS);
  const texts = (name: (typeof RULE_FIELDS)[number]) => textsAt(fields[name], `${at}.${name}`);
  const rule: AuditRule = {
    level: levelAt(fields.level, `${at}.level`),
    users: texts('users'),
    userGroups: texts('userGroups'),
    verbs: texts('verbs'),
    namespaces: texts('namespaces'),
    nonResourceURLs: texts('nonResourceURLs'),
    resources: listAt(fields.resources, `${at}.resources`).map((one, i) => resourceOf(one, `${at}.resources[${i}]`)),
    omitStages: new Set([...usual.everywhere, ...stagesAt(fields.omitStages, `${at}.omitStages`)]),
    omitManagedFields: flagAt(fields.omitManagedFields, `${at}.omitManagedFields`) ?? usual.omits,
  };
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    throw new Error(
      `${at}.nonResourceURLs: a rule is about resources or about other paths, not both: make two rules of it`,
    );
  }
  rule.nonResourceURLs.forEach((pattern, i) => {
    checkPath(pattern, `${at}.nonResourceURLs[${i}]`);
  });
  return rule;
}

function resourceOf(value: Json, at: string): ResourceRule {
  const { group, resources, resourceNames } = fieldsOf(objectAt(value, at), at, [
    'group',
    'resources',
    'resourceNames',
  ]);
  const rule = {
    group: group === undefined || group === null ? '' : textAt(group, `${at}.group`),
    resources: textsAt(resources, `${at}.resources`),
    resourceNames: textsAt(resourceNames, `${at}.resourceNames`),
  };
  if (rule.group.includes('/')) throw new Error(`${at}.group: a group has no version: leave it out`);
  if (rule.resourceNames.length > 0 && rule.resources.length === 0) {
    throw new Error(`${at}.resourceNames: name the resources that they are of, in resources`);
  }
  return rule;
}

function checkPath(pattern: string, at: string): void {
  if (pattern === '*') return;
  if (!pattern.startsWith('/')) throw new Error(`${at}: a path begins with /, or is *`);
  if (pattern.slice(0, -1).includes('*')) throw new Error(`${at}: a * stands at the end only`);
}

function levelAt(value: Json | undefined, at: string): Level {
  return oneOf(levels, value, at);
}

function stagesAt(value: Json | undefined, at: string): Stage[] {
  return listAt(value, at).map((stage, i) => oneOf(stages, stage, `${at}[${i}]`));
}

function oneOf<T extends string>(known: readonly T[], value: Json | undefined, at: string): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  const near = typeof value === 'string' ? closestName(value, known) : undefined;
  const said = value === undefined ? 'it is missing' : `not ${JSON.stringify(value)}`;
  throw new Error(`${at}: one of ${known.join(', ')}, ${said}${near === undefined ? '' : `; did you mean ${near}?`}`);
}

function fieldsOf<Name extends string>(
  object: JsonObject,
  at: string,
  names: readonly Name[],
): Partial<Record<Name, Json>> {
  for (const name of Object.keys(object)) {
    if ((names as readonly string[]).includes(name)) continue;
    const near = closestName(name, names);
    const path = at === '' ? name : `${at}.${name}`;
    throw new Error(`${path}: there is no such field${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
  return object as Partial<Record<Name, Json>>;
}

function objectAt(value: Json | undefined, at: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`${at} must be an object`);
}

function listAt(value: Json | undefined, at: string): Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${at}: must be a list`);
}

function textsAt(value: Json | undefined, at: string): string[] {
  return listAt(value, at).map((text, i) => textAt(text, `${at}[${i}]`));
}

function textAt(value: Json, at: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${at}: must be a text`);
}

function flagAt(value: Json | undefined, at: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw new Error(`${at}: must be true or false`);
}
