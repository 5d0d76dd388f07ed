import type { JsonObject } from '@tidegate/schema';
import { labelKeyProblems, labelProblems, subdomainProblems } from '../rules/names.ts';
import { amountOf, notNegativeAmount, positiveAmount } from './amounts.ts';
import { among, IMMUTABLE, notNegative, oneOf, required, sameValue, strictSubdomain, subdomain } from './checks.ts';
import type { Place } from './place.ts';
import { oneSourceOf } from './pods/volumes.ts';
import { type Check, type RuleTable, unchecked } from './rules.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function accessModes(detail: string): Check {
  return Object.assign(
    (place: Place) => {
      if (place.isEmpty) place.required(detail);
      for (const mode of place.list) if (!MODES.includes(String(mode))) place.unsupported(MODES, mode);
      if (place.list.length > 1 && place.list.includes('ReadWriteOncePod')) {
        place.forbidden('may not use ReadWriteOncePod with other access modes');
      }
    },
    { always: true },
  );
}

const claimSize: Check = (spec) => {
  const size = (spec.object.resources as JsonObject | undefined)?.requests as JsonObject | undefined;
  const storage = spec.as('resources[storage]', size?.storage);
  if (storage.value === undefined) storage.required();
  else positiveAmount(storage);
};

const claimSource: Check = (place) => {
  for (const name of ['kind', 'name']) if (place.field(name).isEmpty) place.field(name).required();
  const group = place.field('apiGroup').text;
  if (group === '' && place.field('kind').text !== 'PersistentVolumeClaim') {
    place.invalid("must be 'PersistentVolumeClaim' when referencing the default apiGroup", place.field('kind').text);
  }
  if (group !== '') place.field('apiGroup').invalidFor(subdomainProblems(group));
  const namespace = place.field('namespace');
  if (namespace.text !== '') namespace.invalidFor(labelProblems(namespace.text));
};

const sources: Check = (spec) => {
  const [source, reference] = [spec.field('dataSource'), spec.field('dataSourceRef')];
  for (const one of [source, reference]) if (one.value !== undefined) claimSource(one);
  if (source.value === undefined || reference.value === undefined) return;
  const { apiGroup, kind, name, namespace } = reference.object;
  if (!sameValue(source.object, { apiGroup, kind, name }) || !sameValue(namespace, undefined)) {
    spec.invalid('must match dataSourceRef');
  }
};

const capacity: Check = (spec) => {
  const place = spec.field('capacity');
  if (place.isEmpty) place.required();
  const names = Object.keys(place.object);
  if (names.length !== 1 || names[0] !== 'storage') place.unsupported(['storage'], place.value ?? null);
  for (const one of place.entries()) {
    positiveAmount(one);
    if (amountOf(one.value) < 0n)
      one.invalid('must be a valid resource quantity', Math.ceil(Number(amountOf(one.value)) / 1e9));
  }
};

const VOLUME_SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

const volumeSources = oneSourceOf(VOLUME_SOURCES);

const volume: Check = (spec) => {
  const affinity = spec.field('nodeAffinity');
  if (affinity.value !== undefined && !affinity.has('required')) {
    affinity.field('required').required('must specify required node constraints');
  }
  const local = VOLUME_SOURCES.find((name) => spec.has(name)) === 'local';
  if (local && affinity.value === undefined) affinity.required('Local volume requires node affinity');
  const attributes = spec.field('volumeAttributesClassName');
  if (attributes.value === undefined) return;
  if (attributes.text === '') attributes.required('an empty string is disallowed');
  else attributes.invalidFor(subdomainProblems(attributes.text));
  if (!spec.has('csi')) spec.field('csi').required('has to be specified when using volumeAttributesClassName');
};

const reclaimed: Check = (spec) => {
  const policy = spec.field('persistentVolumeReclaimPolicy');
  if (policy.text === 'Recycle' && /^\/+$/.test(spec.field('hostPath.path').text)) {
    policy.forbidden("may not be 'recycle' for a hostPath mount of '/'");
  }
};

/** The sources of a volume together, for seeing whether they changed. */
function sourcesOf(spec: Place): JsonObject {
  return Object.fromEntries(
    VOLUME_SOURCES.filter((name) => spec.has(name)).map((name) => [name, spec.object[name] ?? null]),
  );
}

export function volumeUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  if (!sameValue(sourcesOf(now), sourcesOf(before))) {
    now.as('persistentvolumesource', null).forbidden('spec.persistentvolumesource is immutable after creation');
  }
  const [mode, was] = [now.object.volumeMode, before.object.volumeMode];
  if (!sameValue(mode, was)) object.as('volumeMode', mode).invalid(IMMUTABLE);
}

const CLAIM_MAY =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export function claimUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  const grows = old.field('status.phase').text === 'Bound';
  const open = new Set(grows ? ['resources', 'volumeAttributesClassName'] : []);
  for (const name of ['volumeName', 'storageClassName']) if (before.field(name).isEmpty) open.add(name);
  const names = new Set([...Object.keys(now.object), ...Object.keys(before.object)]);
  for (const name of names) {
    if (!open.has(name) && !sameValue(now.object[name], before.object[name])) {
      now.forbidden(CLAIM_MAY);
      return;
    }
  }
}

const parameters: Check = (place) => {
  if (Object.hasOwn(place.object, '')) place.invalid('field can not be empty.', '');
};

const qualifiedLowerCase: Check = (place) => {
  if (place.text !== '') place.invalidFor(labelKeyProblems(place.text.toLowerCase()));
};

/** An update that changes it is refused by the name of the field. */
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
    const twice = keys.find((key, index) => keys.indexOf(key) < index);
    if (twice !== undefined) driver.duplicate(twice);
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
      place.required('must specify exactly one of inlineVolumeSpec and persistentVolumeName');
    } else if (name.value === '') {
      name.required('must specify non empty persistentVolumeName');
      name.invalidFor(subdomainProblems(''));
    }
  },
  { always: true },
);

export const storageTypeRules: RuleTable = {
  'core.v1.PersistentVolumeClaimSpec': {
    accessModes: accessModes('at least 1 access mode is required'),
    volumeMode: among('Block', 'Filesystem'),
    storageClassName: subdomain,
    volumeAttributesClassName: subdomain,
    '': [claimSize, sources],
  },
  'core.v1.PersistentVolumeSpec': {
    accessModes: accessModes(''),
    persistentVolumeReclaimPolicy: oneOf('Delete', 'Recycle', 'Retain'),
    volumeMode: among('Block', 'Filesystem'),
    storageClassName: subdomain,
    ...volumeSources,
    '': [capacity, volumeSources[''] as Check, volume, reclaimed],
  },
  'storage.v1.StorageClass': {
    provisioner: [required(), qualifiedLowerCase],
    parameters,
    reclaimPolicy: oneOf('Delete', 'Retain'),
    volumeBindingMode: [required(), oneOf('Immediate', 'WaitForFirstConsumer')],
  },
  'core.v1.TopologySelectorLabelRequirement': { key: required(), values: required() },
  'storage.v1.CSIDriverSpec': {
    volumeLifecycleModes: lifecycles,
    fsGroupPolicy: oneOf('File', 'None', 'ReadWriteOnceWithFSType'),
    tokenRequests: audiences,
  },
  'storage.v1.CSINodeSpec': { drivers },
  'storage.v1.CSINodeDriver': { name: required(), nodeID: required() },
  'storage.v1.VolumeNodeResources': { count: notNegative },
  'storage.v1.CSIStorageCapacity': {
    storageClassName: strictSubdomain,
    capacity: notNegativeAmount,
    maximumVolumeSize: notNegativeAmount,
  },
  'storage.v1.VolumeAttachmentSpec': {
    attacher: [required(), subdomain],
    nodeName: strictSubdomain,
    source: attachmentSource,
  },
  'storage.v1.VolumeAttachmentSource': { inlineVolumeSpec: unchecked },
  'storage.v1.VolumeAttributesClass': {
    driverName: [required(), qualifiedLowerCase],
    parameters: [required('must contain at least one key/value pair'), parameters],
  },
};
