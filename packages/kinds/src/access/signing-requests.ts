import { isJsonObject, type JsonObject, printTime } from '@tidegate/schema';
import type { KindRules } from '../kind-entry.ts';
import { textFields } from '../rules/fields.ts';
import type { Check } from '../rules/type-rules.ts';

/** The conditions that only /approval may set. */
const DECISIONS = ['Approved', 'Denied'];

/**
 * A request for a certificate. The server sets the requesting user, /approval decides, /status issues the
 * certificate.
 */
export const signingRequest: KindRules = {
  name: 'path-segment',
  resetFields: {
    '': [['spec'], ['status']],
    status: [['spec'], ['status', 'conditions']],
    approval: [['spec'], ['status', 'certificate']],
  },
  selectableFields: textFields({ 'spec.signerName': '' }),
  prepareCreate: (request, { name, uid, groups, extra = {} }) => {
    const { extra: _given, ...spec } = (request.spec ?? {}) as JsonObject;
    const known = Object.entries(extra).map(([key, values]) => [key, [...values]]);
    const more = known.length === 0 ? {} : { extra: Object.fromEntries(known) };
    request.spec = { ...spec, username: name, uid, groups: [...groups], ...more };
  },
  prepareUpdate: (request, old, subresource) => {
    request.spec = old.spec ?? {};
    if (subresource === '') return;
    const before = conditionsOf(old);
    let conditions = conditionsOf(request);
    if (subresource === 'approval') request.status = structuredClone((old.status ?? {}) as JsonObject);
    // /status issues certificates, but does not approve
    else conditions = [...before.filter(isDecision), ...conditions.filter((one) => !isDecision(one))];
    if (conditions.length === 0 && request.status === undefined) return;
    const status = isJsonObject(request.status) ? request.status : {};
    if (conditions.length > 0) status.conditions = conditions.map(timesFrom(before));
    else delete status.conditions;
    request.status = status;
  },
};

function isDecision({ type }: JsonObject): boolean {
  return DECISIONS.includes(String(type));
}

function conditionsOf({ status }: JsonObject): JsonObject[] {
  const conditions = isJsonObject(status) ? status.conditions : undefined;
  return Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
}

/** Sets missing times of conditions: from the first old condition with the same type and status, or now. */
function timesFrom(before: readonly JsonObject[]): (condition: JsonObject) => JsonObject {
  const now = printTime();
  const keyOf = ({ type, status }: JsonObject) => JSON.stringify([type, status]);
  const known = new Map(before.toReversed().map((one) => [keyOf(one), one]));
  return (condition) => {
    const old = known.get(keyOf(condition));
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? old?.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? old?.lastTransitionTime ?? now,
    };
  };
}

const PEM = 'PEM block type must be CERTIFICATE REQUEST';

export const request: Check = (place) => {
  const text = Buffer.from(place.text, 'base64').toString('latin1');
  if (!/-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/.test(text)) place.invalid(PEM);
};

const SIGNER = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

export const signer: Check = (place) => {
  const [domain = '', ...path] = place.text.split('/');
  if (path.length === 0 || domain === '') place.invalid(SIGNER);
  else if (!domain.includes('.')) place.invalid('should be a domain with at least two segments separated by dots');
};

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export const usages: Check = (place) => {
  const seen = new Set<string>();
  for (const usage of place.items()) {
    if (!USAGES.includes(usage.text)) usage.unsupported(USAGES);
    if (seen.has(usage.text)) usage.duplicate();
    seen.add(usage.text);
  }
};

export const minimumDuration: Check = (place) => {
  if (Number(place.value) < 600) place.invalid('may not specify a duration less than 600 seconds (10 minutes)');
};
