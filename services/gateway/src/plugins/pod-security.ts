import { isDeepStrictEqual } from 'node:util';
import {
  findingsAgainst,
  isStricter,
  metaOf,
  type PodLevel,
  type PodPolicy,
  podLevelText,
  podPolicyOf,
} from '@tidegate/kinds';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { invalid } from '@tidegate/status';
import { type Admitted, type Lookups, type Plugin, refused, specOf } from './plugin.ts';

/** Where those who make pods say how they are to be. */
const TEMPLATES: Readonly<Record<string, (object: JsonObject) => unknown>> = {
  podtemplates: ({ template }) => template,
  replicationcontrollers: (object) => specOf(object).template,
  'replicasets.apps': (object) => specOf(object).template,
  'deployments.apps': (object) => specOf(object).template,
  'statefulsets.apps': (object) => specOf(object).template,
  'daemonsets.apps': (object) => specOf(object).template,
  'jobs.batch': (object) => specOf(object).template,
  'cronjobs.batch': (object) => {
    const { jobTemplate } = specOf(object);
    return isJsonObject(jobTemplate) ? specOf(jobTemplate).template : undefined;
  },
};

const ANNOTATION = 'pod-security.kubernetes.io/';
const CONCERNS = ['pods', 'namespaces', ...Object.keys(TEMPLATES)];

/**
 * A namespace says by its labels what its pods may do on a node. A pod that does more is refused, or told of; so are those
 * told who will make such pods.
 */
export const podSecurity: Plugin = {
  name: 'PodSecurity',
  concerns: [
    ...CONCERNS.flatMap((resource) => [`CREATE ${resource}`, `UPDATE ${resource}`]),
    'UPDATE pods/ephemeralcontainers',
    'UPDATE pods/resize',
  ],
  needs: ['namespaces'],
  validate: async (admitted) => {
    const { storedAs } = admitted.request.kind;
    if (storedAs === 'namespaces') return judgeNamespace(admitted);
    const policy = podPolicyOf((await admitted.lookups.objects.namespaceLabels(admitted.request.info.namespace)) ?? {});
    if (policy === undefined) return;
    const template = TEMPLATES[storedAs];
    if (template === undefined) judgePod(admitted, policy);
    else tell(admitted, policy, template(admitted.object));
  },
};

function judgePod(admitted: Admitted, policy: PodPolicy): void {
  const { object, old, request } = admitted;
  if (old !== undefined && !isOther(object, old)) return;
  request.record?.annotate(`${ANNOTATION}enforce-policy`, podLevelText(policy.enforce));
  const words = told(policy.enforce, object);
  if (words !== undefined) throw refused(admitted, `violates PodSecurity ${words}`);
  tell(admitted, policy, object);
}

/** Warns the client, and leaves a word in the record of the request. */
function tell({ request }: Admitted, { warn, audit }: PodPolicy, pod: unknown): void {
  if (!isJsonObject(pod)) return;
  const would = (level: PodLevel) => {
    const words = told(level, pod);
    return words === undefined ? undefined : `would violate PodSecurity ${words}`;
  };
  const warning = would(warn);
  if (warning !== undefined) request.warnings.push(warning);
  const violations = request.record && would(audit);
  if (violations !== undefined) request.record?.annotate(`${ANNOTATION}audit-violations`, violations);
}

/** `"baseline:latest": host namespaces (hostPID=true), privileged (…)` */
function told(level: PodLevel, pod: JsonObject): string | undefined {
  const findings = findingsAgainst(level, pod);
  if (findings.length === 0) return undefined;
  return `"${podLevelText(level)}": ${findings.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')}`;
}

/** It runs something else than before: nothing else of what counts can change. */
function isOther(pod: JsonObject, old: JsonObject): boolean {
  const imagesOf = (object: JsonObject) =>
    ['containers', 'initContainers'].map((list) => listOf(specOf(object), list).map(({ image }) => image));
  if (!isDeepStrictEqual(imagesOf(pod), imagesOf(old))) return true;
  const before = new Map(listOf(specOf(old), 'ephemeralContainers').map(({ name, image }) => [name, image]));
  return listOf(specOf(pod), 'ephemeralContainers').some(({ name, image }) => before.get(name) !== image);
}

/** Its labels must say something; who makes it stricter hears which of its pods would not be taken any more. */
async function judgeNamespace({ lookups, request, object, old }: Admitted): Promise<void> {
  const { name = '', labels = {} } = metaOf(object);
  const now = podPolicyOf(labels);
  const before = old === undefined ? undefined : podPolicyOf(metaOf(old).labels ?? {});
  const errors = now?.errors ?? [];
  if (errors.length > 0 && JSON.stringify(errors) !== JSON.stringify(before?.errors ?? [])) {
    throw invalid({ group: '', kind: 'Namespace', name }, errors);
  }
  const usual: PodLevel = { level: 'privileged', version: 'latest' };
  if (old === undefined || now === undefined || !isStricter(now.enforce, before?.enforce ?? usual)) return;
  request.warnings.push(...(await violationsIn(lookups, name, now.enforce)));
}

/** Nobody waits for a look at more. */
const MOST = 3000;

/** What a level has against the pods that are there, in words for whoever brings it in: the same of many is said once. */
export async function violationsIn(lookups: Lookups, namespace: string, level: PodLevel): Promise<string[]> {
  const pods = await lookups.collections.objectsInStore('pods', namespace);
  const names = new Map<string, string[]>();
  for (const pod of pods.slice(0, MOST)) {
    const words = findingsAgainst(level, pod)
      .map(({ reason }) => reason)
      .join(', ');
    if (words !== '') names.set(words, [...(names.get(words) ?? []), metaOf(pod).name ?? '']);
  }
  const warnings: string[] = [];
  if (pods.length > MOST) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${MOST} of ${pods.length} existing pods`,
    );
  }
  if (names.size > 0) {
    const text = podLevelText(level);
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${text}"`);
  }
  return [...warnings, ...[...names].map(([words, those]) => `${namesText(those)}: ${words}`).sort()];
}

function namesText(names: readonly string[]): string {
  const [first = '', ...others] = names.toSorted();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}
