import { notNegativeAmount } from '../amounts.ts';
import { descendingPath, fileMode, label, noClimbing, oneOf, required } from '../checks.ts';
import type { Check, RuleTable } from '../rules.ts';

/** In the order in which they are counted: the first is the volume's, what follows is too much. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

/** Exactly one of the sources; others are named where they stand. */
export function oneSourceOf(sources: readonly string[]): Check {
  const order = new Map(sources.map((name, index) => [name, index]));
  return (place) => {
    const given = Object.keys(place.object).filter((name) => order.has(name) && place.has(name));
    if (given.length === 1) return;
    const [first, ...others] = given.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    if (first === undefined) place.required('must specify a volume type');
    for (const name of others) place.field(name).forbidden('may not specify more than 1 volume type');
  };
}

const noDots: Check = (place) => label(place);

const sizeLimit: Check = (place) => {
  if (String(place.value).startsWith('-')) place.forbidden('SizeLimit field must be a valid resource quantity');
};

const HOST_PATHS = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const PROJECTED = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'];

const oneProjection: Check = (place) => {
  const [first, ...others] = PROJECTED.filter((name) => place.has(name));
  if (first === undefined) place.required('must specify at least one volume source');
  for (const name of others) place.field(name).forbidden('may not specify more than 1 volume type per source');
};

const tokenLifetime: Check = (place) => {
  const seconds = Number(place.value);
  if (seconds < 600) place.invalid('may not specify a duration less than 10 minutes');
  if (seconds > 2 ** 32) place.invalid('may not specify a duration larger than 2^32 seconds');
};

export const volumeRules: RuleTable = {
  'core.v1.Volume': { '': oneSourceOf(SOURCES), name: [required(), noDots] },
  'core.v1.EmptyDirVolumeSource': { sizeLimit },
  'core.v1.HostPathVolumeSource': { path: [required(), noClimbing], type: oneOf(...HOST_PATHS) },
  'core.v1.SecretVolumeSource': { secretName: required(), defaultMode: fileMode },
  'core.v1.ConfigMapVolumeSource': { name: required(), defaultMode: fileMode },
  'core.v1.SecretProjection': { name: required() },
  'core.v1.ConfigMapProjection': { name: required() },
  'core.v1.DownwardAPIVolumeSource': { defaultMode: fileMode },
  'core.v1.ProjectedVolumeSource': { defaultMode: fileMode },
  'core.v1.VolumeProjection': { '': oneProjection },
  'core.v1.ServiceAccountTokenProjection': { path: [required(), descendingPath], expirationSeconds: tokenLifetime },
  'core.v1.KeyToPath': { key: required(), path: [required(), descendingPath], mode: fileMode },
  'core.v1.DownwardAPIVolumeFile': { path: [required(), descendingPath], mode: fileMode },
  'core.v1.PersistentVolumeClaimVolumeSource': { claimName: required() },
  'core.v1.NFSVolumeSource': { server: required(), path: required() },
  'core.v1.CSIVolumeSource': { driver: required() },
  'core.v1.CSIPersistentVolumeSource': { driver: required(), volumeHandle: required() },
  'core.v1.LocalVolumeSource': { path: [required(), noClimbing] },
  'core.v1.EphemeralVolumeSource': { volumeClaimTemplate: required() },
  'core.v1.VolumeResourceRequirements': { limits: (place) => place.entries().forEach(notNegativeAmount) },
};
