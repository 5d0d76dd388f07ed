import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, flagAt, flagCell, listAt, NONE, textAt, textsAt } from '../rules/cells.ts';
import { ageColumn, boolean, column, integer, nameColumn, wide } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(object: JsonObject, path: string): string {
  const has = new Set(textsAt(object, path));
  return Object.keys(SHORT_MODES)
    .filter((mode) => has.has(mode))
    .map((mode) => SHORT_MODES[mode])
    .join(',');
}

/** The phase; Terminating for an object that is being deleted. */
function phase(object: JsonObject): string {
  return valueAt(object, 'metadata.deletionTimestamp') === undefined ? textAt(object, 'status.phase') : 'Terminating';
}

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** The name of a class, with a mark for the default class. */
const classNameColumn: Column = {
  ...nameColumn,
  cell: (object) => {
    const annotations = (valueAt(object, 'metadata.annotations') ?? {}) as JsonObject;
    const isDefault = DEFAULT_CLASS.some((name) => annotations[name] === 'true');
    return `${String(nameColumn.cell(object))}${isDefault ? ' (default)' : ''}`;
  },
};

export const columns: ByResource<readonly Column[]> = {
  persistentvolumeclaims: [
    nameColumn,
    column('Status', 'Phase of the claim', phase),
    column('Volume', 'Bound volume', cellAt('spec.volumeName')),
    column('Capacity', 'Size of the volume', (claim) =>
      textAt(claim, 'spec.volumeName') === '' ? '' : textAt(claim, 'status.capacity.storage'),
    ),
    column('Access Modes', 'Access modes of the volume', (claim) =>
      textAt(claim, 'spec.volumeName') === '' ? '' : accessModes(claim, 'status.accessModes'),
    ),
    column('StorageClass', 'Requested storage class', cellAt('spec.storageClassName')),
    column(
      'VolumeAttributesClass',
      'Requested volume attributes class',
      cellAt('spec.volumeAttributesClassName', '<unset>'),
    ),
    ageColumn,
    wide('VolumeMode', 'Filesystem or Block', cellAt('spec.volumeMode', '<unset>')),
  ],
  persistentvolumes: [
    nameColumn,
    column('Capacity', 'Size of the volume', cellAt('spec.capacity.storage')),
    column('Access Modes', 'Access modes', (volume) => accessModes(volume, 'spec.accessModes')),
    column(
      'Reclaim Policy',
      'What happens to the volume after the deletion of its claim',
      cellAt('spec.persistentVolumeReclaimPolicy'),
    ),
    column('Status', 'Phase of the volume', phase),
    column('Claim', 'Namespace and name of the bound claim', (volume) => {
      const name = textAt(volume, 'spec.claimRef.name');
      return name === '' ? '' : `${textAt(volume, 'spec.claimRef.namespace')}/${name}`;
    }),
    column('StorageClass', 'Storage class', cellAt('spec.storageClassName')),
    column('VolumeAttributesClass', 'Volume attributes class', cellAt('spec.volumeAttributesClassName', '<unset>')),
    column('Reason', 'Reason of the phase', cellAt('status.reason')),
    ageColumn,
    wide('VolumeMode', 'Filesystem or Block', cellAt('spec.volumeMode', '<unset>')),
  ],
  'csidrivers.storage.k8s.io': [
    nameColumn,
    boolean('AttachRequired', 'Whether volumes must be attached', flagCell('spec.attachRequired')),
    boolean('PodInfoOnMount', 'Whether the driver gets information about the pod', flagCell('spec.podInfoOnMount')),
    boolean('StorageCapacity', 'Whether the driver reports its storage capacity', flagCell('spec.storageCapacity')),
    column('TokenRequests', 'Audiences of the required tokens', (driver) =>
      valueAt(driver, 'spec.tokenRequests') === undefined
        ? '<unset>'
        : listAt(driver, 'spec.tokenRequests')
            .map(({ audience }) => String(audience ?? ''))
            .join(','),
    ),
    boolean('RequiresRepublish', 'Whether volumes are published repeatedly', flagCell('spec.requiresRepublish')),
    column(
      'Modes',
      'Lifecycle modes of the volumes',
      (driver) => textsAt(driver, 'spec.volumeLifecycleModes').join(',') || NONE,
    ),
    ageColumn,
  ],
  'csinodes.storage.k8s.io': [
    nameColumn,
    integer('Drivers', 'Number of drivers on the node', (node) => countAt(node, 'spec.drivers')),
    ageColumn,
  ],
  'storageclasses.storage.k8s.io': [
    classNameColumn,
    column('Provisioner', 'Provisioner of the volumes', cellAt('provisioner')),
    column('ReclaimPolicy', 'What happens to volumes after the deletion of their claims', cellAt('reclaimPolicy')),
    column('VolumeBindingMode', 'When volumes are bound and provisioned', cellAt('volumeBindingMode')),
    column('AllowVolumeExpansion', 'Whether volumes can be expanded', (object) =>
      flagAt(object, 'allowVolumeExpansion'),
    ),
    ageColumn,
  ],
  'volumeattachments.storage.k8s.io': [
    nameColumn,
    { ...column('Attacher', 'Driver that attaches the volume', cellAt('spec.attacher')), format: 'name' },
    column('PV', 'Persistent volume', cellAt('spec.source.persistentVolumeName')),
    column('Node', 'Node', cellAt('spec.nodeName')),
    boolean('Attached', 'Whether the volume is attached', flagCell('status.attached')),
    ageColumn,
  ],
  'volumeattributesclasses.storage.k8s.io': [
    classNameColumn,
    column('DriverName', 'Driver of the attributes', cellAt('driverName')),
    ageColumn,
  ],
};
