import type { JsonObject } from '@tidegate/schema';
import { labelProblems, subdomainProblems } from '../objects/names.ts';
import { amountOf, positiveAmount } from '../rules/amount-checks.ts';
import { IMMUTABLE, oneOf, requiredOneOf, sameValue, subdomain } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable, TypeRules } from '../rules/type-rules.ts';
import { oneSourceOf } from '../volumes/volumes.ts';

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
  if (isInline(spec)) return;
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

// a flexVolume beside another source is not an error
const volumeSources: TypeRules = { ...oneSourceOf(VOLUME_SOURCES), flexVolume: [] };

const volume: Check = (spec) => {
  const affinity = spec.field('nodeAffinity');
  if (isInline(spec)) return;
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

/** Fields that an inline volume may not have. */
const inline: Check = (spec) => {
  if (!isInline(spec)) return;
  for (const name of ['capacity', 'claimRef', 'storageClassName', 'nodeAffinity']) {
    const field = spec.field(name);
    if (!field.isEmpty) field.forbidden('may not be specified in the context of inline volumes');
  }
  if (!spec.has('csi')) spec.field('csi').required('has to be specified in the context of inline volumes');
  const [policy, mode] = [spec.field('persistentVolumeReclaimPolicy'), spec.field('volumeMode')];
  if (policy.text !== '' && policy.text !== 'Retain') {
    policy.forbidden('may only be Retain in the context of inline volumes');
  }
  if (mode.value !== undefined && mode.text !== 'Filesystem') {
    mode.forbidden('may not specify volumeMode other than Filesystem in the context of inline volumes');
  }
};

function isInline(spec: Place): boolean {
  return spec.step === 'inlineVolumeSpec';
}

const reclaimPolicy: Check = (spec) => {
  const policy = spec.field('persistentVolumeReclaimPolicy');
  if (policy.text === 'Recycle' && /^\/+$/.test(spec.field('hostPath.path').text)) {
    policy.forbidden("may not be 'recycle' for a hostPath mount of '/'");
  }
};

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
/** Volumes whose drivers use the annotation of mount options. */
const MOUNTED_WITH_OPTIONS = new Set([
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]);

const mountOptions: Check = (spec) => {
  const annotations = spec.up(1).field('metadata.annotations');
  if (isInline(spec) || !annotations.has(MOUNT_OPTIONS)) return;
  if (VOLUME_SOURCES.some((name) => spec.has(name) && MOUNTED_WITH_OPTIONS.has(name))) return;
  annotations.as(MOUNT_OPTIONS, null).forbidden('may not specify mount options for this volume type');
};

/** The sources of a volume, to compare them on an update. */
function sourcesOf(spec: Place): JsonObject {
  return Object.fromEntries(
    VOLUME_SOURCES.filter((name) => spec.has(name)).map((name) => [name, spec.object[name] ?? null]),
  );
}

/** The secret for volume expansion may be set once, later. */
function addsExpandSecret(now: Place, before: Place): boolean {
  const old = before.field('csi');
  if (!now.has('csi') || old.value === undefined || old.has('controllerExpandSecretRef')) return false;
  const { controllerExpandSecretRef: _secret, ...csi } = now.field('csi').object;
  return sameValue({ ...sourcesOf(now), csi }, sourcesOf(before));
}

export function volumeUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  if (!sameValue(sourcesOf(now), sourcesOf(before)) && !addsExpandSecret(now, before)) {
    now.as('persistentvolumesource', null).forbidden('spec.persistentvolumesource is immutable after creation');
  }
  sameMode(object, old);
}

const CLAIM_IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export function claimUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  const grows = old.field('status.phase').text === 'Bound';
  const mutable = new Set(grows ? ['resources', 'volumeAttributesClassName'] : []);
  for (const name of ['volumeName', 'storageClassName']) if (before.field(name).isEmpty) mutable.add(name);
  const names = new Set([...Object.keys(now.object), ...Object.keys(before.object)]);
  for (const name of names) {
    if (!mutable.has(name) && !sameValue(now.object[name], before.object[name])) {
      now.forbidden(CLAIM_IMMUTABLE);
      break;
    }
  }
  const [size, had, capacityNow] = ['spec.resources.requests', 'spec.resources.requests', 'status.capacity'].map(
    (path, index) => amountOf((index === 0 ? object : old).field(path).object.storage),
  ) as [bigint, bigint, bigint];
  if (size < had && size <= capacityNow) {
    now.field('resources.requests.storage').forbidden('field can not be less than status.capacity');
  }
  sameMode(object, old);
}

function sameMode(object: Place, old: Place): void {
  const [mode, was] = [object.field('spec').object.volumeMode, old.field('spec').object.volumeMode];
  if (!sameValue(mode, was)) object.as('volumeMode', mode ?? null).invalid(IMMUTABLE);
}

export const persistentVolumeChecks: RuleTable = {
  'core.v1.PersistentVolumeClaimSpec': {
    accessModes: accessModes('at least 1 access mode is required'),
    volumeMode: requiredOneOf('Block', 'Filesystem'),
    storageClassName: subdomain,
    volumeAttributesClassName: subdomain,
    '': [claimSize, sources],
  },
  'core.v1.PersistentVolumeSpec': {
    accessModes: accessModes(''),
    persistentVolumeReclaimPolicy: oneOf('Delete', 'Recycle', 'Retain'),
    volumeMode: requiredOneOf('Block', 'Filesystem'),
    storageClassName: subdomain,
    ...volumeSources,
    '': [capacity, volumeSources[''] as Check, volume, inline, reclaimPolicy, mountOptions],
  },
};
