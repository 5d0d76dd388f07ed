import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { canonicalQuantity, isJsonObject } from '@tidegate/schema';
import { metaOf } from '../generic-object.ts';
import { amountOf } from '../validation/amounts.ts';
import { warnOfNetwork } from './addresses.ts';
import { outdated, warnOfLabels, warnOfTerm } from './node-labels.ts';
import { warnOfClaim, warnOfSource } from './volumes.ts';
import { keyOf, tellOf, type Warnings } from './warn.ts';

export const warnOfNode: Warnings = (node, tell) => {
  const spec = node.field('spec');
  if (spec.has('configSource')) tell('spec.configSource: the feature is removed');
  if (!spec.field('externalID').isEmpty) {
    tell('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  }
  for (const network of spec.field('podCIDRs').items()) warnOfNetwork(network, tell);
};

const CLASS = 'volume.beta.kubernetes.io/storage-class';
const CLASS_WORDS = 'deprecated since v1.8; use "storageClassName" attribute instead';
const OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const OPTIONS_WORDS = 'deprecated since v1.31; use "mountOptions" attribute instead';

export const warnOfVolume: Warnings = (volume, tell) => {
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

export const warnOfVolumeClaim: Warnings = (claim, tell) => {
  const annotations = claim.field('metadata.annotations');
  if (annotations.has(CLASS)) tell(`${keyOf(annotations, CLASS)}: ${CLASS_WORDS}`);
  warnOfClaim(claim.field('spec'), tell);
};

export const warnOfStorageClass: Warnings = (one, tell) => {
  for (const topology of one.field('allowedTopologies').items()) {
    for (const expression of topology.field('matchLabelExpressions').items()) {
      const key = expression.field('key');
      const words = outdated(key);
      if (words !== undefined) tellOf(key, tell, words);
    }
  }
};

export const warnOfCapacity: Warnings = (capacity, tell) => {
  const topology = capacity.field('nodeTopology');
  warnOfTerm(topology, tell);
  const labels = topology.field('matchLabels');
  warnOfLabels(labels, tell, (label) => `${labels.path}.${label}`);
};

export const warnOfRuntimeClass: Warnings = (one, tell) => {
  const selector = one.field('scheduling.nodeSelector');
  warnOfLabels(selector, tell, () => selector.path);
};

const NO_TOKENS_IN_SECRETS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export const warnOfDriver: Warnings = (driver, tell, old) => {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = driver.field('spec').object;
  if (!Array.isArray(tokenRequests) || tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return;
  const before = isJsonObject(old?.spec) ? old.spec.tokenRequests : undefined;
  if (old === undefined || !isDeepStrictEqual(before, tokenRequests)) tell(NO_TOKENS_IN_SECRETS);
};

export const warnOfSlice: Warnings = (slice, tell) => {
  const driver = slice.field('spec.driver');
  if (driver.text === driver.text.toLowerCase()) return;
  const shown = JSON.stringify(driver.text);
  tellOf(driver, tell, `driver names should be lowercase; ${shown} contains uppercase characters`);
};

/** Less than what is asked for at least could never be had. */
export const warnOfQuota: Warnings = (quota, tell, old) => {
  if (old !== undefined) return;
  const hard = quota.field('spec.hard').object;
  for (const name of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const isBare = hard[`requests.${name}`] === undefined && (name === 'cpu' || name === 'memory');
    const request = isBare ? name : `requests.${name}`;
    const limit = `limits.${name}`;
    if (hard[request] === undefined || hard[limit] === undefined) continue;
    if (amountOf(hard[request]) <= amountOf(hard[limit])) continue;
    const shown = (key: string) => `${key} (${canonicalQuantity(String(hard[key]))})`;
    tell(`ResourceQuota ${shown(request)} should be less than ${shown(limit)}`);
  }
};

export const warnOfSecret: Warnings = (secret, tell) => {
  if (secret.field('type').text !== 'kubernetes.io/tls') return;
  const data = secret.field('data').object;
  const problem = pairProblem(decoded(data['tls.crt']), decoded(data['tls.key']));
  if (problem !== undefined) tell(problem);
};

function decoded(value: unknown): string {
  return Buffer.from(String(value ?? ''), 'base64').toString('latin1');
}

const BEGIN = /-----BEGIN ([^-]+)-----/g;

/** Why the key is not the certificate's, as Go's TLS says it. */
function pairProblem(certificate: string, key: string): string | undefined {
  const blocks = [...certificate.matchAll(BEGIN)].map((match) => match[1] as string);
  if (blocks.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (!blocks.includes('CERTIFICATE')) {
    if (blocks.length === 1 && blocks[0]?.endsWith('PRIVATE KEY')) {
      return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
    }
    const skipped = `after skipping PEM blocks of the following types: [${blocks.join(' ')}]`;
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input ${skipped}`;
  }
  const ofKey = [...key.matchAll(BEGIN)].map((match) => match[1] as string);
  if (ofKey.length === 0) return 'tls: failed to find any PEM data in key input';
  if (!ofKey.some((block) => block.endsWith('PRIVATE KEY'))) {
    if (ofKey.length === 1 && ofKey[0] === 'CERTIFICATE') {
      return 'tls: found a certificate rather than a key in the PEM for the private key';
    }
    const skipped = `after skipping PEM blocks of the following types: [${ofKey.join(' ')}]`;
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input ${skipped}`;
  }
  return matchProblem(certificate, key);
}

function matchProblem(certificate: string, key: string): string | undefined {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(certificate);
  } catch {
    // an error of OpenSSL
    return 'x509: malformed certificate';
  }
  let own: KeyObject;
  try {
    own = createPrivateKey(key);
  } catch {
    // an error of OpenSSL
    return 'tls: failed to parse private key';
  }
  if (own.asymmetricKeyType !== leaf.publicKey.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  return leaf.checkPrivateKey(own) ? undefined : 'tls: private key does not match public key';
}

const LIMITS_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

/** Told when it is set, and not again. */
export const warnOfAccount: Warnings = (account, tell, old) => {
  const annotations = account.field('metadata.annotations');
  const before = metaOf(old ?? {}).annotations ?? {};
  if (!annotations.has(LIMITS_SECRETS) || Object.hasOwn(before, LIMITS_SECRETS)) return;
  const words = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
  tell(`${keyOf(annotations, LIMITS_SECRETS)}: ${words}`);
};
