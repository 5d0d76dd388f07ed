import type { JsonObject } from '@tidegate/schema';
import { labelKeyProblems, subdomainProblems } from '../objects/names.ts';
import { notNegativeAmount } from '../rules/amount-checks.ts';
import {
  always,
  driverName,
  notNegative,
  oneOf,
  required,
  requiredOneOf,
  sameValue,
  strictSubdomain,
  textOf,
} from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const parameters: Check = (place) => {
  if (Object.hasOwn(place.object, '')) place.invalid('field can not be empty.', '');
};

const qualifiedLowerCase: Check = (place) => {
  const name = place.text.toLowerCase();
  if (name !== '') place.invalidFor(labelKeyProblems(name), name);
};

/** Rejects a change of a field, with the text of Kubernetes. */
export function forbiddenChange(place: Place, old: Place): void {
  if (!sameValue(place.value, old.value)) place.forbidden(`updates to ${place.step} are forbidden.`);
}

const drivers: Check = (place) => {
  const seen = new Set<string>();
  for (const driver of place.items()) {
    const name = driver.field('name');
    if (name.text !== '' && seen.has(name.text)) name.duplicate();
    seen.add(name.text);
    const keys = driver.field('topologyKeys').list;
    const first = new Set<unknown>();
    const duplicate = keys.find((key) => first.size === first.add(key).size);
    if (duplicate !== undefined) driver.duplicate(duplicate);
    for (const key of keys.map(String)) {
      if (key === '') driver.required();
      driver.invalidFor(labelKeyProblems(key), key);
    }
  }
};

const audiences: Check = (place) => {
  const seen = new Set<unknown>();
  for (const request of place.items()) {
    const audience = request.field('audience');
    if (seen.has(audience.text)) audience.duplicate(audience.text);
    seen.add(audience.text);
    const seconds = request.field('expirationSeconds');
    if (seconds.value !== undefined && Number(seconds.value) < 600) {
      seconds.invalid('may not specify a duration less than 10 minutes');
    }
    if (Number(seconds.value) > 2 ** 32) seconds.invalid('may not specify a duration larger than 2^32 seconds');
  }
};

const LIFECYCLES = ['Persistent', 'Ephemeral'];
const lifecycles: Check = (place) => {
  for (const mode of place.list) if (!LIFECYCLES.includes(String(mode))) place.unsupported(LIFECYCLES, mode);
};

const attachmentSource: Check = Object.assign(
  (place: Place) => {
    const name = place.field('persistentVolumeName');
    if (place.has('inlineVolumeSpec') === (name.value !== undefined)) {
      const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
      if (name.value === undefined) place.required(detail);
      else place.forbidden(detail);
      return false;
    }
    if (name.value === '') {
      name.required('must specify non empty persistentVolumeName');
    }
    if (name.value !== undefined) name.invalidFor(subdomainProblems(name.text));
    return true;
  },
  { always: true },
);

const shortId: Check = (place) => {
  if (place.text.length > 256) place.invalid('must be 256 characters or less');
};

const minimumPeriod: Check = (place) => {
  if (Number(place.value) < 10) place.invalid('must be greater than or equal to 10 seconds');
};

const tokensRequested: Check = (place) => {
  if (place.up(1).field('tokenRequests').isEmpty) {
    place.invalid('serviceAccountTokenInSecrets is set but no tokenRequests are specified');
  }
};

const topologyKey = (place: Place): void => place.invalidFor(labelKeyProblems(place.text), place.text);

const distinctTexts: Check = (list) => {
  const seen = new Set<string>();
  for (const one of list.items()) {
    if (seen.has(one.text)) one.duplicate();
    seen.add(one.text);
  }
};

/** Checks that topology terms differ, and that none has a key twice. */
const topologies: Check = (list) => {
  const before = new Set<string>();
  for (const term of list.items()) {
    const expressions = term.field('matchLabelExpressions');
    const keys: JsonObject = {};
    for (const one of expressions.items()) {
      const key = one.field('key');
      if (Object.hasOwn(keys, key.text)) key.duplicate(key.text);
      keys[key.text] = [...one.field('values').list].sort() as string[];
    }
    const text = textOf(keys);
    if (expressions.isEmpty || before.has(text)) expressions.duplicate('');
    before.add(text);
  }
};

export const storageChecks: RuleTable = {
  'storage.v1.StorageClass': {
    provisioner: [required(), qualifiedLowerCase],
    parameters,
    reclaimPolicy: oneOf('Delete', 'Retain'),
    volumeBindingMode: requiredOneOf('Immediate', 'WaitForFirstConsumer'),
    allowedTopologies: topologies,
  },
  'core.v1.TopologySelectorLabelRequirement': { key: always(topologyKey), values: [required(), distinctTexts] },
  'storage.v1.CSIDriverSpec': {
    volumeLifecycleModes: lifecycles,
    nodeAllocatableUpdatePeriodSeconds: minimumPeriod,
    serviceAccountTokenInSecrets: tokensRequested,
    fsGroupPolicy: requiredOneOf('File', 'None', 'ReadWriteOnceWithFSType'),
    tokenRequests: audiences,
  },
  'storage.v1.CSINodeSpec': { drivers },
  'storage.v1.CSINodeDriver': { name: [required(), driverName], nodeID: [required(), shortId] },
  'storage.v1.VolumeNodeResources': { count: notNegative },
  'storage.v1.CSIStorageCapacity': {
    storageClassName: strictSubdomain,
    capacity: notNegativeAmount,
  },
  'storage.v1.VolumeAttachmentSpec': {
    attacher: [required(), driverName],
    nodeName: strictSubdomain,
    source: attachmentSource,
  },
  'storage.v1.VolumeAttributesClass': {
    driverName: [required(), qualifiedLowerCase],
    parameters: [required('must contain at least one key/value pair'), parameters],
  },
};
