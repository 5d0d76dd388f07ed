import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@tidegate/schema';
import { deprecationOf, warnOfLabels, warnOfTerm } from '../cluster/node-labels.ts';
import type { ByResource } from '../family.ts';
import { keyOf, type Warnings, warnAt } from '../rules/warnings.ts';
import { warnOfClaim, warnOfSource } from '../volumes/warnings.ts';

const CLASS = 'volume.beta.kubernetes.io/storage-class';
const CLASS_DEPRECATED = 'deprecated since v1.8; use "storageClassName" attribute instead';
const OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const OPTIONS_DEPRECATED = 'deprecated since v1.31; use "mountOptions" attribute instead';

const warnOfVolume: Warnings = (volume, warn) => {
  const annotations = volume.field('metadata.annotations');
  const spec = volume.field('spec');
  if (annotations.has(CLASS)) warn(`${keyOf(annotations, CLASS)}: ${CLASS_DEPRECATED}`);
  if (annotations.has(OPTIONS)) warn(`${keyOf(annotations, OPTIONS)}: ${OPTIONS_DEPRECATED}`);
  const policy = spec.field('persistentVolumeReclaimPolicy');
  if (policy.text === 'Recycle') {
    const detail = 'Instead, the recommended approach is to use dynamic provisioning.';
    warnAt(policy, warn, `The Recycle reclaim policy is deprecated. ${detail}`);
  }
  for (const term of spec.field('nodeAffinity.required.nodeSelectorTerms').items()) warnOfTerm(term, warn);
  warnOfSource(spec, warn, ['flocker', 'quobyte']);
};

const warnOfVolumeClaim: Warnings = (claim, warn) => {
  const annotations = claim.field('metadata.annotations');
  if (annotations.has(CLASS)) warn(`${keyOf(annotations, CLASS)}: ${CLASS_DEPRECATED}`);
  warnOfClaim(claim.field('spec'), warn);
};

const warnOfStorageClass: Warnings = (one, warn) => {
  for (const topology of one.field('allowedTopologies').items()) {
    for (const expression of topology.field('matchLabelExpressions').items()) {
      const key = expression.field('key');
      const detail = deprecationOf(key);
      if (detail !== undefined) warnAt(key, warn, detail);
    }
  }
};

const warnOfCapacity: Warnings = (capacity, warn) => {
  const topology = capacity.field('nodeTopology');
  warnOfTerm(topology, warn);
  const labels = topology.field('matchLabels');
  warnOfLabels(labels, warn, (label) => `${labels.path}.${label}`);
};

const NO_TOKENS_IN_SECRETS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

const warnOfDriver: Warnings = (driver, warn, old) => {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = driver.field('spec').object;
  if (!Array.isArray(tokenRequests) || tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return;
  const before = isJsonObject(old?.spec) ? old.spec.tokenRequests : undefined;
  if (old === undefined || !isDeepStrictEqual(before, tokenRequests)) warn(NO_TOKENS_IN_SECRETS);
};

export const warnings: ByResource<Warnings> = {
  persistentvolumes: warnOfVolume,
  persistentvolumeclaims: warnOfVolumeClaim,
  'storageclasses.storage.k8s.io': warnOfStorageClass,
  'csistoragecapacities.storage.k8s.io': warnOfCapacity,
  'csidrivers.storage.k8s.io': warnOfDriver,
};
