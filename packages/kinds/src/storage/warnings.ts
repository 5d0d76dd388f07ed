import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@tidegate/schema';
import { outdated, warnOfLabels, warnOfTerm } from '../cluster/node-labels.ts';
import type { ByResource } from '../family.ts';
import { keyOf, tellOf, type Warnings } from '../rules/warnings.ts';
import { warnOfClaim, warnOfSource } from '../volumes/warnings.ts';

const CLASS = 'volume.beta.kubernetes.io/storage-class';
const CLASS_WORDS = 'deprecated since v1.8; use "storageClassName" attribute instead';
const OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const OPTIONS_WORDS = 'deprecated since v1.31; use "mountOptions" attribute instead';

const warnOfVolume: Warnings = (volume, tell) => {
  const annotations = volume.field('metadata.annotations');
  const spec = volume.field('spec');
  if (annotations.has(CLASS)) tell(`${keyOf(annotations, CLASS)}: ${CLASS_WORDS}`);
  if (annotations.has(OPTIONS)) tell(`${keyOf(annotations, OPTIONS)}: ${OPTIONS_WORDS}`);
  const policy = spec.field('persistentVolumeReclaimPolicy');
  if (policy.text === 'Recycle') {
    const words = 'Instead, the recommended approach is to use dynamic provisioning.';
    tellOf(policy, tell, `The Recycle reclaim policy is deprecated. ${words}`);
  }
  for (const term of spec.field('nodeAffinity.required.nodeSelectorTerms').items()) warnOfTerm(term, tell);
  warnOfSource(spec, tell, ['flocker', 'quobyte']);
};

const warnOfVolumeClaim: Warnings = (claim, tell) => {
  const annotations = claim.field('metadata.annotations');
  if (annotations.has(CLASS)) tell(`${keyOf(annotations, CLASS)}: ${CLASS_WORDS}`);
  warnOfClaim(claim.field('spec'), tell);
};

const warnOfStorageClass: Warnings = (one, tell) => {
  for (const topology of one.field('allowedTopologies').items()) {
    for (const expression of topology.field('matchLabelExpressions').items()) {
      const key = expression.field('key');
      const words = outdated(key);
      if (words !== undefined) tellOf(key, tell, words);
    }
  }
};

const warnOfCapacity: Warnings = (capacity, tell) => {
  const topology = capacity.field('nodeTopology');
  warnOfTerm(topology, tell);
  const labels = topology.field('matchLabels');
  warnOfLabels(labels, tell, (label) => `${labels.path}.${label}`);
};

const NO_TOKENS_IN_SECRETS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

const warnOfDriver: Warnings = (driver, tell, old) => {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = driver.field('spec').object;
  if (!Array.isArray(tokenRequests) || tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return;
  const before = isJsonObject(old?.spec) ? old.spec.tokenRequests : undefined;
  if (old === undefined || !isDeepStrictEqual(before, tokenRequests)) tell(NO_TOKENS_IN_SECRETS);
};

export const warnings: ByResource<Warnings> = {
  persistentvolumes: warnOfVolume,
  persistentvolumeclaims: warnOfVolumeClaim,
  'storageclasses.storage.k8s.io': warnOfStorageClass,
  'csistoragecapacities.storage.k8s.io': warnOfCapacity,
  'csidrivers.storage.k8s.io': warnOfDriver,
};
