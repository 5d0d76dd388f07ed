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

/** Where workload objects keep their pod template. */
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
 * The labels of a namespace limit what its pods may do on a node. A pod that violates the enforced level is rejected.
 * Violations of the warn and audit levels are reported, also for pod templates of workloads.
 */
export const podSecurity: Plugin = {
  name: 'PodSecurity',
  handles: [
    ...CONCERNS.flatMap((resource) => [`CREATE ${resource}`, `UPDATE ${resource}`]),
    'UPDATE pods/ephemeralcontainers',
    'UPDATE pods/resize',
  ],
  needs: ['namespaces'],
  validate: async (admitted) => {
    const { storedAs } = admitted.request.kind;
    if (storedAs === 'namespaces') return checkNamespace(admitted);
    const policy = podPolicyOf((await admitted.lookups.objects.namespaceLabels(admitted.request.info.namespace)) ?? {});
    if (policy === undefined) return;
    const template = TEMPLATES[storedAs];
    if (template === undefined) checkPod(admitted, policy);
    else report(admitted, policy, template(admitted.object));
  },
};

function checkPod(admitted: Admitted, policy: PodPolicy): void {
  const { object, old, request } = admitted;
  if (old !== undefined && !hasNewImages(object, old)) return;
  request.record?.annotate(`${ANNOTATION}enforce-policy`, podLevelText(policy.enforce));
  const words = violationText(policy.enforce, object);
  if (words !== undefined) throw refused(admitted, `violates PodSecurity ${words}`);
  report(admitted, policy, object);
}

/** Warns the client, and annotates the audit record. */
function report({ request }: Admitted, { warn, audit }: PodPolicy, pod: unknown): void {
  if (!isJsonObject(pod)) return;
  const would = (level: PodLevel) => {
    const words = violationText(level, pod);
    return words === undefined ? undefined : `would violate PodSecurity ${words}`;
  };
  const warning = would(warn);
  if (warning !== undefined) request.warnings.push(warning);
  const violations = request.record && would(audit);
  if (violations !== undefined) request.record?.annotate(`${ANNOTATION}audit-violations`, violations);
}

/** `"baseline:latest": host namespaces (hostPID=true), privileged (…)` */
function violationText(level: PodLevel, pod: JsonObject): string | undefined {
  const findings = findingsAgainst(level, pod);
  if (findings.length === 0) return undefined;
  return `"${podLevelText(level)}": ${findings.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')}`;
}

/** Whether the images changed: no other update can change the result. */
function hasNewImages(pod: JsonObject, old: JsonObject): boolean {
  const imagesOf = (object: JsonObject) =>
    ['containers', 'initContainers'].map((list) => listOf(specOf(object), list).map(({ image }) => image));
  if (!isDeepStrictEqual(imagesOf(pod), imagesOf(old))) return true;
  const before = new Map(listOf(specOf(old), 'ephemeralContainers').map(({ name, image }) => [name, image]));
  return listOf(specOf(pod), 'ephemeralContainers').some(({ name, image }) => before.get(name) !== image);
}

/** Checks the labels of a namespace. A stricter level adds warnings about existing pods that violate it. */
async function checkNamespace({ lookups, request, object, old }: Admitted): Promise<void> {
  const { name = '', labels = {} } = metaOf(object);
  const now = podPolicyOf(labels);
  const before = old === undefined ? undefined : podPolicyOf(metaOf(old).labels ?? {});
  const errors = now?.errors ?? [];
  if (errors.length > 0 && JSON.stringify(errors) !== JSON.stringify(before?.errors ?? [])) {
    throw invalid({ group: '', kind: 'Namespace', name }, errors);
  }
  const unlabeled: PodLevel = { level: 'privileged', version: 'latest' };
  if (old === undefined || now === undefined || !isStricter(now.enforce, before?.enforce ?? unlabeled)) return;
  request.warnings.push(...(await warningsAboutPods(lookups, name, now.enforce)));
}

/** Only so many existing pods are checked, to bound the time. */
const MAX_CHECKED = 3000;

/** Warnings about the existing pods that violate a new level, grouped by finding. */
export async function warningsAboutPods(lookups: Lookups, namespace: string, level: PodLevel): Promise<string[]> {
  const pods = await lookups.collections.objectsInStore('pods', namespace);
  const names = new Map<string, string[]>();
  for (const pod of pods.slice(0, MAX_CHECKED)) {
    const words = findingsAgainst(level, pod)
      .map(({ reason }) => reason)
      .join(', ');
    if (words !== '') names.set(words, [...(names.get(words) ?? []), metaOf(pod).name ?? '']);
  }
  const warnings: string[] = [];
  if (pods.length > MAX_CHECKED) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${MAX_CHECKED} of ${pods.length} existing pods`,
    );
  }
  if (names.size > 0) {
    const text = podLevelText(level);
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${text}"`);
  }
  return [...warnings, ...[...names].map(([words, pods]) => `${namesText(pods)}: ${words}`).sort()];
}

function namesText(names: readonly string[]): string {
  const [first = '', ...others] = names.toSorted();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}
