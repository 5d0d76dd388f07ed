import { warnOfLabel, warnOfLabels, warnOfTerm } from '../cluster/node-labels.ts';
import { warnOfContainer, warnOfFractions, warnOfPorts } from '../containers/warnings.ts';
import type { ByResource } from '../family.ts';
import { warnOfAddress } from '../network/address-warnings.ts';
import { labelProblems } from '../objects/names.ts';
import type { Place } from '../rules/place.ts';
import { type AddWarning, keyOf, type Warnings, warnAt } from '../rules/warnings.ts';
import { warnOfVolumes } from '../volumes/warnings.ts';

/** Deprecated annotations without effect. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]);
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const NO_SELECTOR = 'a null labelSelector results in matching no pod';

/** The warnings of a pod or a pod template. */
export function warnOfPod(pod: Place, warn: AddWarning): void {
  const spec = pod.field('spec');
  const annotations = pod.field('metadata.annotations');
  warnOfPlacing(spec, warn);
  for (const [key, text] of WITHOUT_EFFECT) if (annotations.has(key)) warn(`${keyOf(annotations, key)}: ${text}`);
  warnOfVolumes(spec.field('volumes'), warn);
  warnOfDuplicates(spec.field('hostAliases'), { field: 'ip', warn });
  warnOfDuplicates(spec.field('imagePullSecrets'), { field: 'name', warn });
  for (const secret of spec.field('imagePullSecrets').items()) {
    if (secret.field('name').isEmpty) warnAt(secret.field('name'), warn, 'invalid empty name ""');
  }
  warnOfFractions(spec.field('overhead'), ['memory', 'ephemeral-storage'], warn);
  if (annotations.has(SECCOMP) && !spec.field('securityContext').has('seccompProfile')) {
    warn(`${keyOf(annotations, SECCOMP)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  }
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) =>
    spec.field(field).items(),
  );
  for (const container of containers) warnOfContainer(container, pod, warn);
  warnOfPorts(containers, warn);
  const grace = spec.field('terminationGracePeriodSeconds');
  if (Number(grace.value ?? 0) < 0) {
    warnAt(grace, warn, 'must be >= 0; negative values are invalid and will be treated as 1');
  }
  warnOfAffinity(spec.field('affinity'), warn);
  for (const server of spec.field('dnsConfig.nameservers').items()) warnOfAddress(server, warn);
  for (const alias of spec.field('hostAliases').items()) warnOfAddress(alias.field('ip'), warn);
}

/** Warns of deprecated node labels in scheduling fields. */
function warnOfPlacing(spec: Place, warn: AddWarning): void {
  warnOfLabels(spec.field('nodeSelector'), warn);
  const affinity = spec.field('affinity.nodeAffinity');
  const required = affinity.field('requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms');
  for (const term of required.items()) warnOfTerm(term, warn);
  for (const preferred of affinity.field('preferredDuringSchedulingIgnoredDuringExecution').items()) {
    warnOfTerm(preferred.field('preference'), warn, true);
  }
  for (const spread of spec.field('topologySpreadConstraints').items()) {
    warnOfLabel(spread.field('topologyKey'), warn);
    if (!spread.has('labelSelector')) warnAt(spread.field('labelSelector'), warn, NO_SELECTOR);
  }
}

function warnOfAffinity(affinity: Place, warn: AddWarning): void {
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const required = affinity.field(side).field('requiredDuringSchedulingIgnoredDuringExecution');
    const preferred = affinity.field(side).field('preferredDuringSchedulingIgnoredDuringExecution');
    for (const term of [...required.items(), ...preferred.items().map((one) => one.field('podAffinityTerm'))]) {
      if (!term.has('labelSelector')) warnAt(term.field('labelSelector'), warn, NO_SELECTOR);
    }
  }
}

function warnOfDuplicates(list: Place, { field, warn }: { field: 'ip' | 'name'; warn: AddWarning }): void {
  const seen = new Set<string>();
  for (const item of list.items()) {
    const one = item.field(field);
    if (seen.has(one.text)) warnAt(one, warn, `duplicate ${field} ${JSON.stringify(one.text)}`);
    seen.add(one.text);
  }
}

/** The warnings of a new pod. Updates get none, because controllers write pods often. */
const warnOfPodObject: Warnings = (pod, warn, old) => {
  if (old !== undefined) return;
  warnOfName(pod, "the Pod's hostname", warn);
  warnOfPod(pod, warn);
};

export function warnOfName(object: Place, use: string, warn: AddWarning): void {
  const problems = labelProblems(object.field('metadata.name').text);
  if (problems.length === 0) return;
  const text = 'which can result in surprising behavior; a DNS label is recommended';
  warn(`metadata.name: this is used in ${use}, ${text}: [${problems.join(' ')}]`);
}

export const warnings: ByResource<Warnings> = {
  pods: warnOfPodObject,
};
