import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isJsonObject, type JsonObject, setOwn } from '@tidegate/schema';
import type { Family } from '../family.ts';
import { configKeyProblems } from '../objects/names.ts';
import { cellAt, countAt } from '../rules/cells.ts';
import { IMMUTABLE, sameValue } from '../rules/checks.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { defaulter } from '../rules/default-rules.ts';
import { textFields } from '../rules/fields.ts';
import type { Place } from '../rules/place.ts';
import type { Check } from '../rules/type-rules.ts';
import type { Warnings } from '../rules/warnings.ts';

const setType = defaulter({ type: 'Opaque' });

/** stringData is for writing only: its values are stored in data, as base64. */
function encodeTexts(object: JsonObject): void {
  const { stringData } = object;
  delete object.stringData;
  if (!isJsonObject(stringData)) return;
  const data = (object.data ?? {}) as JsonObject;
  for (const [key, text] of Object.entries(stringData)) setOwn(data, key, Buffer.from(String(text)).toString('base64'));
  object.data = data;
}

const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};
const MAX_BYTES = 1 << 20;
const ACCOUNT = 'kubernetes.io/service-account.name';

const secret: Check = (object) => {
  const data = object.field('data');
  let bytes = 0;
  for (const one of data.entries()) {
    bytes += Buffer.byteLength(one.text, 'base64');
    one.invalidFor(configKeyProblems(String(one.step)), one.step);
  }
  if (bytes > MAX_BYTES) data.tooLong(`may not be more than ${MAX_BYTES} bytes`);
  const type = object.field('type').text;
  const keyed = (key: string): Place => object.as(`data[${key}]`, data.object[key]);
  for (const key of REQUIRED_KEYS[type] ?? []) if (keyed(key).value === undefined) keyed(key).required();
  if (type === 'kubernetes.io/basic-auth' && !['username', 'password'].some((key) => data.has(key))) {
    for (const key of ['username', 'password']) keyed(key).required();
  }
  if (type === 'kubernetes.io/service-account-token') {
    const { annotations = {} } = object.field('metadata').object as { annotations?: Record<string, string> };
    if (!annotations[ACCOUNT]) object.as(`metadata.annotations[${ACCOUNT}]`, null).required();
  }
  for (const key of ['.dockercfg', '.dockerconfigjson']) {
    if ((REQUIRED_KEYS[type] ?? []).includes(key) && data.has(key)) checkJson(keyed(key));
  }
};

function checkJson(place: Place): void {
  const text = Buffer.from(place.text, 'base64').toString('utf8');
  try {
    JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // the error does not show the text, because it is secret
    place.invalid('unexpected end of JSON input', '<secret contents redacted>');
  }
}

function secretUpdate(object: Place, old: Place): void {
  if (!sameValue(object.object.type, old.object.type)) object.field('type').invalid(IMMUTABLE);
  if (old.object.immutable !== true) return;
  const text = 'field is immutable when `immutable` is set';
  if (object.object.immutable !== true) object.field('immutable').forbidden(text);
  if (!sameValue(object.object.data, old.object.data)) object.field('data').forbidden(text);
}

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

export const secrets: Family = {
  rules: { secrets: { selectableFields: textFields({ type: '' }) } },
  defaults: {
    secrets: (object) => {
      setType(object);
      encodeTexts(object);
    },
  },
  columns: {
    secrets: [
      nameColumn,
      column('Type', 'Type of the secret', cellAt('type')),
      column('Data', 'Number of entries', (object) => countAt(object, 'data')),
      ageColumn,
    ],
  },
  updates: { secrets: { '': secretUpdate } },
  warnings: { secrets: warnOfSecret },
  usage: { secrets: { names: ['secrets'] } },
  types: { 'core.v1.Secret': { '': secret } },
};
