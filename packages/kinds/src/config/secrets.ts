import { configKeyProblems } from '../objects/names.ts';
import { IMMUTABLE, sameValue } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};
const MOST_BYTES = 1 << 20;
const ACCOUNT = 'kubernetes.io/service-account.name';

const secret: Check = (object) => {
  const data = object.field('data');
  let bytes = 0;
  for (const one of data.entries()) {
    bytes += Buffer.byteLength(one.text, 'base64');
    one.invalidFor(configKeyProblems(String(one.step)), one.step);
  }
  if (bytes > MOST_BYTES) data.tooLong(`may not be more than ${MOST_BYTES} bytes`);
  const type = object.field('type').text;
  const keyed = (key: string): Place => object.as(`data[${key}]`, data.object[key]);
  for (const key of NEEDED[type] ?? []) if (keyed(key).value === undefined) keyed(key).required();
  if (type === 'kubernetes.io/basic-auth' && !['username', 'password'].some((key) => data.has(key))) {
    for (const key of ['username', 'password']) keyed(key).required();
  }
  if (type === 'kubernetes.io/service-account-token') {
    const { annotations = {} } = object.field('metadata').object as { annotations?: Record<string, string> };
    if (!annotations[ACCOUNT]) object.as(`metadata.annotations[${ACCOUNT}]`, null).required();
  }
  for (const key of ['.dockercfg', '.dockerconfigjson']) {
    if ((NEEDED[type] ?? []).includes(key) && data.has(key)) json(keyed(key));
  }
};

function json(place: Place): void {
  const text = Buffer.from(place.text, 'base64').toString('utf8');
  try {
    JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // the error does not show the text, because it is secret
    place.invalid('unexpected end of JSON input', '<secret contents redacted>');
  }
}

export function secretUpdate(object: Place, old: Place): void {
  if (!sameValue(object.object.type, old.object.type)) object.field('type').invalid(IMMUTABLE);
  if (old.object.immutable !== true) return;
  const words = 'field is immutable when `immutable` is set';
  if (object.object.immutable !== true) object.field('immutable').forbidden(words);
  if (!sameValue(object.object.data, old.object.data)) object.field('data').forbidden(words);
}

export const secretChecks: RuleTable = {
  'core.v1.Secret': { '': secret },
};
