import { closestName, OptionError } from '@tidegate/options';
import type { Json } from '@tidegate/schema';
import { contentOf, type Form, readConfiguration } from '../configuration/read-configuration.ts';
import { AuditPolicy, type AuditRule, type Level, levels, type ResourceRule, type Stage, stages } from './policy.ts';

const OPTION = 'audit-policy-file';

const wanted = {
  group: 'audit.k8s.io',
  kind: 'Policy',
  versions: ['v1'],
  form: {
    metadata: { name: 'text' },
    omitStages: ['text'],
    omitManagedFields: 'boolean',
    rules: [
      {
        level: 'text',
        users: ['text'],
        userGroups: ['text'],
        verbs: ['text'],
        resources: [{ group: 'text', resources: ['text'], resourceNames: ['text'] }],
        namespaces: ['text'],
        nonResourceURLs: ['text'],
        omitStages: ['text'],
        omitManagedFields: 'boolean',
      },
    ],
  },
} as const satisfies { form: Form; [name: string]: unknown };

/** Reads a policy file. Contradictory rules are rejected with the field and the remedy. */
export function readPolicy(file: string): AuditPolicy {
  const content = readConfiguration({ option: OPTION, file, ...wanted });
  try {
    return made(content as unknown as PolicyEntry);
  } catch (error) {
    throw new OptionError(`--${OPTION} ${file}: ${(error as Error).message}`, { cause: error });
  }
}

export function policyOf(document: Json): AuditPolicy {
  return made(contentOf(document, wanted) as unknown as PolicyEntry);
}

type Texts = readonly string[] | null;

/** A rule as it is in the file, where absent fields may be null. */
interface RuleEntry {
  readonly level?: string;
  readonly users?: Texts;
  readonly userGroups?: Texts;
  readonly verbs?: Texts;
  readonly resources?: ReadonlyArray<{ group?: string | null; resources?: Texts; resourceNames?: Texts }> | null;
  readonly namespaces?: Texts;
  readonly nonResourceURLs?: Texts;
  readonly omitStages?: Texts;
  readonly omitManagedFields?: boolean | null;
}

interface PolicyEntry extends Pick<RuleEntry, 'omitStages' | 'omitManagedFields'> {
  readonly rules?: readonly RuleEntry[] | null;
}

function made({ rules, omitStages, omitManagedFields }: PolicyEntry): AuditPolicy {
  if (rules === undefined || rules === null || rules.length === 0) throw new Error('rules: there must be at least one');
  const everywhere = stagesAt(omitStages, 'omitStages');
  const omits = omitManagedFields ?? false;
  return new AuditPolicy(rules.map((rule, i) => ruleOf(rule, `rules[${i}]`, { everywhere, omits })));
}

interface Usual {
  readonly everywhere: readonly Stage[];
  readonly omits: boolean;
}

function ruleOf(entry: RuleEntry, at: string, usual: Usual): AuditRule {
  const rule: AuditRule = {
    level: oneOf(levels, entry.level, `${at}.level`) as Level,
    users: entry.users ?? [],
    userGroups: entry.userGroups ?? [],
    verbs: entry.verbs ?? [],
    namespaces: entry.namespaces ?? [],
    nonResourceURLs: entry.nonResourceURLs ?? [],
    resources: (entry.resources ?? []).map((one, i) => resourceOf(one, `${at}.resources[${i}]`)),
    omitStages: new Set([...usual.everywhere, ...stagesAt(entry.omitStages, `${at}.omitStages`)]),
    omitManagedFields: entry.omitManagedFields ?? usual.omits,
  };
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    throw new Error(
      `${at}.nonResourceURLs: a rule is about resources or about other paths, not both: make two rules of it`,
    );
  }
  for (const [i, pattern] of rule.nonResourceURLs.entries()) checkPath(pattern, `${at}.nonResourceURLs[${i}]`);
  return rule;
}

function resourceOf(entry: NonNullable<RuleEntry['resources']>[number], at: string): ResourceRule {
  const rule = { group: entry.group ?? '', resources: entry.resources ?? [], resourceNames: entry.resourceNames ?? [] };
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

function stagesAt(entry: Texts | undefined, at: string): Stage[] {
  return (entry ?? []).map((stage, i) => oneOf(stages, stage, `${at}[${i}]`));
}

function oneOf<T extends string>(known: readonly T[], entry: string | undefined, at: string): T {
  const found = known.find((one) => one === entry);
  if (found !== undefined) return found;
  const near = entry === undefined ? undefined : closestName(entry, known);
  const said = entry === undefined ? 'it is missing' : `not ${JSON.stringify(entry)}`;
  throw new Error(`${at}: one of ${known.join(', ')}, ${said}${near === undefined ? '' : `; did you mean ${near}?`}`);
}
