import { labelProblems, subdomainProblems } from '../objects/names.ts';
import {
  always,
  label,
  named,
  noParentSegments,
  oneOf,
  pathInVolume,
  required,
  requiredOneOf,
  within,
} from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable, TypeRules } from '../rules/type-rules.ts';

const partition = within(0, 255, 'must be between 1 and 255, inclusive');
const unit = within(0, 255);

const EUI = /^eui.[A-Za-z0-9]{16}$/;
const NAA = /^naa.[A-Za-z0-9]{32}$/;

const ISCSI_FORMS: Readonly<Record<string, (name: string) => boolean>> = {
  iqn: hasQualifiedName,
  eui: (name) => EUI.test(name),
  naa: (name) => NAA.test(name),
};

/**
 * Whether a text ends in `iqn.2003-01.com.example:anything`. It finds the same as
 * `/iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/`, which would restart at each position of a long text.
 */
function hasQualifiedName(text: string): boolean {
  const parts = (text.split(/[,;*&$|\s]/).at(-1) ?? '').split(':');
  const last = parts.pop();
  // the last colon is at the end, so that no name follows the domain
  if (last === '') parts.pop();
  return parts.some((part) => /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]/.test(part.split(/[^A-Za-z0-9.-]/).at(-1) ?? ''));
}

const iscsiName: Check = (place) => {
  const form = ISCSI_FORMS[place.text.slice(0, 3)];
  if (form === undefined) place.invalid('must be valid format starting with iqn, eui, or naa');
  else if (!form(place.text)) place.invalid('must be valid format');
};

const chapSecret: Check = (source) => {
  const { chapAuthDiscovery, chapAuthSession } = source.object;
  const secret = source.field('secretRef');
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secret.value === undefined) secret.required();
};

/** The check of a single volume also rejects names with another beginning. */
const iscsiNameOfVolume: Check = (place) => {
  const form = ISCSI_FORMS[place.text.slice(0, 3)];
  if (form?.(place.text) !== true) place.invalid('must be valid format');
};

const iscsi: TypeRules = {
  targetPortal: required(),
  iqn: [required(), iscsiName],
  initiatorName: iscsiName,
  lun: unit,
  '': chapSecret,
};

const fibreChannel: Check = (source) => {
  const [names, wide] = [source.field('targetWWNs'), source.field('wwids')];
  if (names.isEmpty && wide.isEmpty) names.required('must specify either targetWWNs or wwids, but not both');
  if (!names.isEmpty && !wide.isEmpty) names.invalid('targetWWNs and wwids can not be specified simultaneously');
  const lun = source.field('lun');
  if (names.isEmpty) return;
  if (lun.value === undefined) lun.required('lun is required if targetWWNs is specified');
  else unit(lun);
};

const flocker: Check = (source) => {
  const [name, uuid] = [source.field('datasetName'), source.field('datasetUUID')];
  if (name.isEmpty && uuid.isEmpty) source.required('one of datasetName and datasetUUID is required');
  if (!name.isEmpty && !uuid.isEmpty) {
    source.invalid('datasetName and datasetUUID can not be specified simultaneously', 'resource');
  }
  if (name.text.includes('/')) name.invalid("must not contain '/'");
};

const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';
const quobyte: Check = (source) => {
  const [registry, tenant] = [source.field('registry'), source.field('tenant')];
  if (registry.isEmpty) registry.required(REGISTRY);
  else if (tenant.text.length >= 65) tenant.required('must be a UUID and may not exceed a length of 64 characters');
  else if (
    registry.text.length >= 65 ||
    !registry.text.split(',').every((pair) => /^[^:]+:[^:]+$|^\[.*\]:\d+$/.test(pair))
  ) {
    registry.invalid(REGISTRY);
  }
};

const reservedOptions: Check = (place) => {
  for (const one of place.entries()) {
    const [, domain = ''] = /^([^/]*)\//.exec(String(one.step)) ?? [];
    const space = domain.split('.').slice(-2).join('.');
    if (space === 'kubernetes.io' || space === 'k8s.io') {
      one.invalid('kubernetes.io and k8s.io namespaces are reserved', one.step);
    }
  }
};

const MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const azureDisk: Check = (source) => {
  const address = source.field('diskURI');
  const managed = source.object.kind === 'Managed';
  if (managed && !address.text.startsWith('/subscriptions/')) address.unsupported([MANAGED], address.text);
  if (!managed && source.has('kind') && !address.text.startsWith('https://')) address.unsupported([BLOB], address.text);
};

const driverName: Check = (place) => {
  if (place.text.length > 63) place.tooLong('may not be more than 63 bytes');
  place.invalidFor(subdomainProblems(place.text.toLowerCase()), place.text);
};

const secretName: Check = (place) => {
  const name = place.field('name');
  if (name.isEmpty) name.required();
  else name.invalidFor(subdomainProblems(name.text));
};

const secretNamed: Check = (place) => {
  if (place.field('name').isEmpty) place.field('name').required();
};

const secretOfNamespace: Check = (place) => {
  for (const name of ['name', 'namespace']) if (place.field(name).isEmpty) place.field(name).required();
};

const namespacedSecret: Check = (place) => {
  for (const name of ['name', 'namespace']) {
    const field = place.field(name);
    if (field.isEmpty) field.required();
    else field.invalidFor(name === 'name' ? subdomainProblems(field.text) : labelProblems(field.text));
  }
};

const secretsOfDriver: TypeRules = {
  controllerPublishSecretRef: namespacedSecret,
  controllerExpandSecretRef: namespacedSecret,
  nodePublishSecretRef: namespacedSecret,
  nodeExpandSecretRef: namespacedSecret,
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

const hostPathType: Check = (place) => {
  if (!place.up(1).field('path').isEmpty && !HOST_PATHS.includes(place.text)) place.unsupported(HOST_PATHS);
};

const absolutePath: Check = (place) => {
  if (!place.text.startsWith('/')) place.invalid('must be an absolute path', place.text);
};

const flex: TypeRules = { driver: required(), options: reservedOptions };
const scaleIo: TypeRules = { gateway: required(), system: required(), volumeName: required() };
const storageOs: TypeRules = { volumeName: [required(), label], volumeNamespace: label, secretRef: secretNamed };
const images: TypeRules = { monitors: required(), image: required() };
const cinder: TypeRules = { volumeID: required(), secretRef: secretNamed };
const gluster: TypeRules = { endpoints: required(), path: required() };
const EMPTY_NAMESPACE = 'if the endpointnamespace is set, it must be a valid namespace name';
const azureFile: TypeRules = { secretName: required(), shareName: required() };

export const volumeSourceChecks: RuleTable = {
  'core.v1.HostPathVolumeSource': { path: [required(), noParentSegments], type: hostPathType },
  'core.v1.GitRepoVolumeSource': { repository: required(), directory: pathInVolume },
  'core.v1.GCEPersistentDiskVolumeSource': { pdName: required(), partition },
  'core.v1.AWSElasticBlockStoreVolumeSource': { volumeID: required(), partition },
  'core.v1.NFSVolumeSource': { server: required(), path: [required(), absolutePath], '': nfsPath },
  'core.v1.ISCSIVolumeSource': iscsi,
  'core.v1.ISCSIPersistentVolumeSource': {
    ...iscsi,
    iqn: [required(), iscsiNameOfVolume],
    initiatorName: iscsiNameOfVolume,
    secretRef: secretNamed,
  },
  'core.v1.FCVolumeSource': { '': fibreChannel },
  'core.v1.FlockerVolumeSource': { '': flocker },
  'core.v1.QuobyteVolumeSource': { volume: required(), '': quobyte },
  'core.v1.GlusterfsVolumeSource': gluster,
  'core.v1.GlusterfsPersistentVolumeSource': {
    ...gluster,
    endpointsNamespace: named((text) => (text === '' ? [EMPTY_NAMESPACE] : labelProblems(text))),
  },
  'core.v1.RBDVolumeSource': images,
  'core.v1.RBDPersistentVolumeSource': images,
  'core.v1.CinderVolumeSource': cinder,
  'core.v1.CinderPersistentVolumeSource': { ...cinder, secretRef: secretOfNamespace },
  'core.v1.CephFSVolumeSource': { monitors: required() },
  'core.v1.CephFSPersistentVolumeSource': { monitors: required() },
  'core.v1.FlexVolumeSource': flex,
  'core.v1.FlexPersistentVolumeSource': flex,
  'core.v1.AzureFileVolumeSource': azureFile,
  'core.v1.AzureFilePersistentVolumeSource': {
    ...azureFile,
    secretNamespace: (place) => {
      if (place.text === '') place.required();
    },
  },
  'core.v1.AzureDiskVolumeSource': {
    diskName: required(),
    diskURI: required(),
    cachingMode: requiredOneOf('None', 'ReadOnly', 'ReadWrite'),
    kind: requiredOneOf('Dedicated', 'Managed', 'Shared'),
    '': azureDisk,
  },
  'core.v1.VsphereVirtualDiskVolumeSource': { volumePath: required() },
  'core.v1.PhotonPersistentDiskVolumeSource': { pdID: required() },
  'core.v1.PortworxVolumeSource': { volumeID: required() },
  'core.v1.ScaleIOVolumeSource': scaleIo,
  'core.v1.ScaleIOPersistentVolumeSource': scaleIo,
  'core.v1.StorageOSVolumeSource': storageOs,
  'core.v1.StorageOSPersistentVolumeSource': { ...storageOs, secretRef: secretOfNamespace },
  'core.v1.CSIVolumeSource': { driver: [required(), driverName], nodePublishSecretRef: secretName },
  'core.v1.CSIPersistentVolumeSource': {
    driver: [required(), driverName],
    volumeHandle: required(),
    ...secretsOfDriver,
  },
  'core.v1.LocalVolumeSource': { path: [required(), noParentSegments] },
  'core.v1.PersistentVolumeClaimVolumeSource': { claimName: required() },
  'core.v1.ImageVolumeSource': { reference: always(imageOfPod), pullPolicy: oneOf('Always', 'IfNotPresent', 'Never') },
};

/** A template may leave the field to the creator of the pod. */
function imageOfPod(place: Place): void {
  if (place.isEmpty && place.up(5).holder === undefined) place.required();
}

/** Checks the path of an NFS volume; a missing path is not absolute either. */
function nfsPath(source: Place): void {
  if (source.field('path').isEmpty) source.field('path').invalid('must be an absolute path', '');
}
