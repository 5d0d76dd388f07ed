import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ByResource } from '../family.ts';
import { metaOf } from '../objects/generic-object.ts';
import { keyOf, type Warnings } from '../rules/warnings.ts';

const warnOfSecret: Warnings = (secret, warn) => {
  if (secret.field('type').text !== 'kubernetes.io/tls') return;
  const data = secret.field('data').object;
  const problem = pairProblem(decoded(data['tls.crt']), decoded(data['tls.key']));
  if (problem !== undefined) warn(problem);
};

function decoded(value: unknown): string {
  return Buffer.from(String(value ?? ''), 'base64').toString('latin1');
}

const BEGIN = /-----BEGIN ([^-]+)-----/g;

/** The error of a key and a certificate, with the text of Go's TLS package. */
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

/** Warns when the annotation is set, and not again. */
const warnOfAccount: Warnings = (account, warn, old) => {
  const annotations = account.field('metadata.annotations');
  const before = metaOf(old ?? {}).annotations ?? {};
  if (!annotations.has(LIMITS_SECRETS) || Object.hasOwn(before, LIMITS_SECRETS)) return;
  const words = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
  warn(`${keyOf(annotations, LIMITS_SECRETS)}: ${words}`);
};

export const warnings: ByResource<Warnings> = {
  secrets: warnOfSecret,
  serviceaccounts: warnOfAccount,
};
