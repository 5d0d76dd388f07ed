import type { JsonObject } from '@tidegate/schema';
import { standardFinalizerProblems } from '../rules/metadata.ts';
import { configKeyProblems, labelKeyProblems, labelProblems, labelValueProblems } from '../rules/names.ts';
import { amounts, requestsWithinLimits } from './amounts.ts';
import { evenEmpty, IMMUTABLE, isNetwork, labels, NETWORK, notNegative, sameValue, textOf } from './checks.ts';
import type { Place } from './place.ts';
import type { Check, RuleTable } from './rules.ts';

const moreThanNothing: Check = (place) => {
  if (Number(place.value) <= 0) place.invalid('must be greater than 0');
};

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Taints are spoken of as metadata. */
const taints: Check = (spec) => {
  const list = spec.up(1).as('metadata', null).as('taints', spec.object.taints);
  const seen = new Set<string>();
  for (const taint of list.items()) {
    const key = taint.field('key');
    const effect = taint.field('effect');
    key.invalidFor(labelKeyProblems(key.text), key.text);
    if (effect.text === '') effect.required();
    else if (!EFFECTS.includes(effect.text)) effect.unsupported(EFFECTS);
    taint.field('value').invalidFor(labelValueProblems(taint.field('value').text));
    const pair = `${key.text}:${effect.text}`;
    if (seen.has(pair)) taint.duplicate(taint.value, 'taints must be unique by key and effect pair');
    seen.add(pair);
  }
};

const podNetworks: Check = (spec) => {
  const list = spec.field('podCIDRs');
  for (const one of list.items()) if (!isNetwork(one.text)) one.invalid(NETWORK);
  if (list.list.length < 2) return;
  const families = new Set(list.list.map((one) => String(one).includes(':')));
  if (list.list.length > 2 || families.size < 2) list.invalid('may specify no more than one CIDR for each IP family');
};

export function nodeUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  if (!sameValue(now.object.externalID, before.object.externalID))
    now.field('externalID').forbidden('may not be updated');
  if (!before.field('podCIDRs').isEmpty && !sameValue(now.object.podCIDRs, before.object.podCIDRs)) {
    now.field('podCIDRs').forbidden('node updates may not change podCIDR except from "" to valid');
  }
  if (!before.field('providerID').isEmpty && now.object.providerID !== before.object.providerID) {
    now.field('providerID').forbidden('node updates may not change providerID except from "" to valid');
  }
}

const namespaceFinalizers: Check = (place) => {
  for (const finalizer of place.list.map(String)) {
    place.invalidFor(labelKeyProblems(finalizer), finalizer);
    place.invalidFor(standardFinalizerProblems(finalizer), finalizer);
  }
};

const event: Check = (object) => {
  const involved = object.field('involvedObject.namespace');
  const own = object.field('metadata.namespace').text;
  const isNew = !object.field('eventTime').isEmpty;
  if (!isNew) {
    if (involved.text !== own && !(involved.text === '' && own === 'default')) {
      involved.invalid('does not match event.namespace', involved.text);
    }
    return;
  }
  const controller = object.field('reportingComponent');
  if (controller.text === '') controller.required();
  controller.invalidFor(labelKeyProblems(controller.text), controller.text);
  for (const name of ['reportingInstance', 'action', 'reason']) {
    if (object.field(name).isEmpty) object.field(name).required();
    if (object.field(name).text.length > 128) object.field(name).invalid('can have at most 128 characters', '');
  }
  if (Buffer.byteLength(object.field('message').text) > 1024) {
    object.field('message').invalid('can have at most 1024 characters', '');
  }
};

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
    // the text is not told, since it is secret
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

const overhead: Check = (place) => {
  const limits = { limits: place.object.podFixed ?? {} } as JsonObject;
  const spoken = place.up(1).as('overhead', limits);
  amounts('containers')(spoken.field('limits'));
  requestsWithinLimits(spoken);
};

const differentTolerations: Check = (place) => {
  const seen = new Set<string>();
  for (const one of place.items()) {
    const text = textOf(one.value);
    if (seen.has(text)) one.duplicate();
    seen.add(text);
  }
};

export const clusterTypeRules: RuleTable = {
  'coordination.v1.LeaseSpec': { leaseDurationSeconds: moreThanNothing, leaseTransitions: notNegative },
  'core.v1.NodeSpec': { '': [taints, podNetworks] },
  'core.v1.NamespaceSpec': { finalizers: namespaceFinalizers },
  'core.v1.Event': { '': event },
  'core.v1.Secret': { '': secret },
  'node.v1.RuntimeClass': { handler: evenEmpty(labelProblems) },
  'node.v1.Overhead': { '': overhead },
  'node.v1.Scheduling': { nodeSelector: labels, tolerations: differentTolerations },
};
