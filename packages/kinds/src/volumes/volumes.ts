import { subdomainProblems } from '../objects/names.ts';
import { fileMode, label, pathInVolume, required } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable, TypeRules } from '../rules/type-rules.ts';
import { volumeSourceChecks } from './volume-sources.ts';

/** All sources in the order in which Kubernetes counts them: the first is valid, the others are too many. */
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

/** Requires exactly one source: the first is checked, and each other one is an error. */
export function oneSourceOf(sources: readonly string[]): TypeRules {
  const known = new Set(sources);
  const first = (place: Place): string | undefined => {
    const given = Object.keys(place.object).filter((name) => known.has(name) && place.has(name));
    return given.length > 1 ? sources.find((name) => place.has(name)) : given[0];
  };
  const one: Check = (source) => {
    if (first(source.up(1)) === source.step) return true;
    source.forbidden('may not specify more than 1 volume type');
    return false;
  };
  const some: Check = (place) => {
    if (first(place) === undefined) place.required('must specify a volume type');
  };
  return { ...Object.fromEntries(sources.map((name) => [name, one])), '': some };
}

const sizeLimit: Check = (place) => {
  if (String(place.value).startsWith('-')) place.forbidden('SizeLimit field must be a valid resource quantity');
};

/** The sources in the order in which Kubernetes counts them. */
const PROJECTIONS = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'];

const oneProjection: Check = (source) => {
  const given = PROJECTIONS.filter((name) => source.has(name)).length;
  for (let more = 1; more < given; more++) source.forbidden('may not specify more than 1 volume type per source');
};

const tokenLifetime: Check = (place) => {
  const seconds = Number(place.value);
  if (seconds < 600) place.invalid('may not specify a duration less than 10 minutes');
  if (seconds > 2 ** 32) place.invalid('may not specify a duration larger than 2^32 seconds');
};

/** Checks that the files of a projected volume have different paths; the error names the source of the second. */
const distinctPaths: Check = (projected) => {
  const seen = new Set<string>();
  for (const source of projected.field('sources').items()) {
    for (const name of ['secret', 'configMap', 'downwardAPI'].filter((one) => source.has(one))) {
      const projection = source.field(name);
      for (const file of projection.field('items').items()) {
        const path = file.field('path').text;
        const called = name === 'downwardAPI' ? path : projection.field('name').text;
        if (path !== '' && seen.has(path)) projected.invalid('conflicting duplicate paths', called);
        seen.add(path);
      }
    }
  }
};

const oneReference: Check = (file) => {
  const [field, resource] = [file.has('fieldRef'), file.has('resourceFieldRef')];
  if (field && resource) file.invalid('fieldRef and resourceFieldRef can not be specified simultaneously', 'resource');
  if (!field && !resource) file.required('one of fieldRef and resourceFieldRef is required');
};

const ofContainer: Check = (reference) => {
  const file = reference.up(1);
  if (file.has('fieldRef')) return false;
  const name = reference.field('containerName');
  if (name.isEmpty) name.required();
  return !name.isEmpty;
};

/**
 * Checks the name of a generic ephemeral volume's claim, which begins with the pod's name. A template has no pod
 * name.
 */
const namedClaim: Check = (volume) => {
  if (!volume.has('ephemeral')) return;
  const name = volume.field('name');
  const pod = volume.up(3).field('metadata.name').text;
  if (volume.up(3).holder !== undefined || pod === '' || name.text === '') return;
  const claim = `${pod}-${name.text}`;
  for (const problem of subdomainProblems(claim)) name.invalid(`PVC name ${JSON.stringify(claim)}: ${problem}`);
};

const sources = oneSourceOf(SOURCES);

export const volumeChecks: RuleTable = {
  ...volumeSourceChecks,
  'core.v1.Volume': { ...sources, name: [required(), label], '': [sources[''] as Check, namedClaim] },
  'core.v1.EmptyDirVolumeSource': { sizeLimit },
  'core.v1.SecretVolumeSource': { secretName: required(), defaultMode: fileMode },
  'core.v1.ConfigMapVolumeSource': { name: required(), defaultMode: fileMode },
  'core.v1.SecretProjection': { name: required() },
  'core.v1.ConfigMapProjection': { name: required() },
  'core.v1.DownwardAPIVolumeSource': { defaultMode: fileMode },
  'core.v1.ProjectedVolumeSource': { defaultMode: fileMode, '': distinctPaths },
  'core.v1.VolumeProjection': {
    '': oneProjection,
  },
  'core.v1.ServiceAccountTokenProjection': { path: [required(), pathInVolume], expirationSeconds: tokenLifetime },
  'core.v1.KeyToPath': { key: required(), path: [required(), pathInVolume], mode: fileMode },
  'core.v1.DownwardAPIVolumeFile': {
    path: [required(), pathInVolume],
    mode: fileMode,
    resourceFieldRef: ofContainer,
    '': oneReference,
  },
  'core.v1.EphemeralVolumeSource': { volumeClaimTemplate: required() },
};
