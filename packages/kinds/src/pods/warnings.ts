import { warnOfLabel, warnOfLabels, warnOfTerm } from '../cluster/node-labels.ts';
import { warnOfContainer, warnOfFractions, warnOfPorts } from '../containers/warnings.ts';
import type { ByResource } from '../family.ts';
import { warnOfAddress } from '../network/address-warnings.ts';
import { labelProblems } from '../objects/names.ts';
import type { Place } from '../rules/place.ts';
import { keyOf, type Tell, tellOf, type Warnings } from '../rules/warnings.ts';
import { warnOfVolumes } from '../volumes/warnings.ts';

/** Annotations of old that say nothing any more. */
const SILENT: ReadonlyMap<string, string> = new Map([
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]);
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const NO_SELECTOR = 'a null labelSelector results in matching no pod';

/** Of a pod, or of a template for pods. */
export function warnOfPod(pod: Place, tell: Tell): void {
  const spec = pod.field('spec');
  const annotations = pod.field('metadata.annotations');
  warnOfPlacing(spec, tell);
  for (const [key, words] of SILENT) if (annotations.has(key)) tell(`${keyOf(annotations, key)}: ${words}`);
  warnOfVolumes(spec.field('volumes'), tell);
  warnOfTwice(spec.field('hostAliases'), { field: 'ip', tell });
  warnOfTwice(spec.field('imagePullSecrets'), { field: 'name', tell });
  for (const secret of spec.field('imagePullSecrets').items()) {
    if (secret.field('name').isEmpty) tellOf(secret.field('name'), tell, 'invalid empty name ""');
  }
  warnOfFractions(spec.field('overhead'), ['memory', 'ephemeral-storage'], tell);
  if (annotations.has(SECCOMP) && !spec.field('securityContext').has('seccompProfile')) {
    tell(`${keyOf(annotations, SECCOMP)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  }
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) =>
    spec.field(field).items(),
  );
  for (const container of containers) warnOfContainer(container, pod, tell);
  warnOfPorts(containers, tell);
  const grace = spec.field('terminationGracePeriodSeconds');
  if (Number(grace.value ?? 0) < 0) {
    tellOf(grace, tell, 'must be >= 0; negative values are invalid and will be treated as 1');
  }
  warnOfAffinity(spec.field('affinity'), tell);
  for (const server of spec.field('dnsConfig.nameservers').items()) warnOfAddress(server, tell);
  for (const alias of spec.field('hostAliases').items()) warnOfAddress(alias.field('ip'), tell);
}

/** Names of labels of nodes by which a place is looked for. */
function warnOfPlacing(spec: Place, tell: Tell): void {
  warnOfLabels(spec.field('nodeSelector'), tell);
  const affinity = spec.field('affinity.nodeAffinity');
  const required = affinity.field('requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms');
  for (const term of required.items()) warnOfTerm(term, tell);
  for (const preferred of affinity.field('preferredDuringSchedulingIgnoredDuringExecution').items()) {
    warnOfTerm(preferred.field('preference'), tell, true);
  }
  for (const spread of spec.field('topologySpreadConstraints').items()) {
    warnOfLabel(spread.field('topologyKey'), tell);
    if (!spread.has('labelSelector')) tellOf(spread.field('labelSelector'), tell, NO_SELECTOR);
  }
}

function warnOfAffinity(affinity: Place, tell: Tell): void {
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const required = affinity.field(side).field('requiredDuringSchedulingIgnoredDuringExecution');
    const preferred = affinity.field(side).field('preferredDuringSchedulingIgnoredDuringExecution');
    for (const term of [...required.items(), ...preferred.items().map((one) => one.field('podAffinityTerm'))]) {
      if (!term.has('labelSelector')) tellOf(term.field('labelSelector'), tell, NO_SELECTOR);
    }
  }
}

function warnOfTwice(list: Place, { field, tell }: { field: 'ip' | 'name'; tell: Tell }): void {
  const seen = new Set<string>();
  for (const item of list.items()) {
    const one = item.field(field);
    if (seen.has(one.text)) tellOf(one, tell, `duplicate ${field} ${JSON.stringify(one.text)}`);
    seen.add(one.text);
  }
}

/** Pods are watched over by machines, and written often: of a change nothing is told. */
const warnOfPodObject: Warnings = (pod, tell, old) => {
  if (old !== undefined) return;
  warnOfName(pod, "the Pod's hostname", tell);
  warnOfPod(pod, tell);
};

export function warnOfName(object: Place, use: string, tell: Tell): void {
  const problems = labelProblems(object.field('metadata.name').text);
  if (problems.length === 0) return;
  const words = 'which can result in surprising behavior; a DNS label is recommended';
  tell(`metadata.name: this is used in ${use}, ${words}: [${problems.join(' ')}]`);
}

export const warnings: ByResource<Warnings> = {
  pods: warnOfPodObject,
};
