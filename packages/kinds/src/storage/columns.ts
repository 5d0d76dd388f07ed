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
    column('Status', 'How far the claim is', phase),
    column('Volume', 'The volume that it got', cellAt('spec.volumeName')),
    column('Capacity', 'Size of the volume', (claim) =>
      textAt(claim, 'spec.volumeName') === '' ? '' : textAt(claim, 'status.capacity.storage'),
    ),
    column('Access Modes', 'How the volume may be mounted', (claim) =>
      textAt(claim, 'spec.volumeName') === '' ? '' : accessModes(claim, 'status.accessModes'),
    ),
    column('StorageClass', 'The class that it asks for', cellAt('spec.storageClassName')),
    column(
      'VolumeAttributesClass',
      'The class of attributes that it asks for',
      cellAt('spec.volumeAttributesClassName', '<unset>'),
    ),
    ageColumn,
    wide('VolumeMode', 'Files or blocks', cellAt('spec.volumeMode', '<unset>')),
  ],
  persistentvolumes: [
    nameColumn,
    column('Capacity', 'Size of the volume', cellAt('spec.capacity.storage')),
    column('Access Modes', 'How it may be mounted', (volume) => accessModes(volume, 'spec.accessModes')),
    column('Reclaim Policy', 'What becomes of it when its claim is gone', cellAt('spec.persistentVolumeReclaimPolicy')),
    column('Status', 'Whether it is free or taken', phase),
    column('Claim', 'Namespace and name of the claim that has it', (volume) => {
      const name = textAt(volume, 'spec.claimRef.name');
      return name === '' ? '' : `${textAt(volume, 'spec.claimRef.namespace')}/${name}`;
    }),
    column('StorageClass', 'The class that it belongs to', cellAt('spec.storageClassName')),
    column('VolumeAttributesClass', 'The class of its attributes', cellAt('spec.volumeAttributesClassName', '<unset>')),
    column('Reason', 'Why it is in this state', cellAt('status.reason')),
    ageColumn,
    wide('VolumeMode', 'Files or blocks', cellAt('spec.volumeMode', '<unset>')),
  ],
  'csidrivers.storage.k8s.io': [
    nameColumn,
    boolean('AttachRequired', 'Whether volumes must be attached first', flagCell('spec.attachRequired')),
    boolean('PodInfoOnMount', 'Whether it is told of the pod', flagCell('spec.podInfoOnMount')),
    boolean('StorageCapacity', 'Whether it says how much room there is', flagCell('spec.storageCapacity')),
    column('TokenRequests', 'For whom it needs tokens', (driver) =>
      valueAt(driver, 'spec.tokenRequests') === undefined
        ? '<unset>'
        : listAt(driver, 'spec.tokenRequests')
            .map(({ audience }) => String(audience ?? ''))
            .join(','),
    ),
    boolean('RequiresRepublish', 'Whether it is told again and again', flagCell('spec.requiresRepublish')),
    column(
      'Modes',
      'How long volumes live',
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
    column('Provisioner', 'Who makes the volumes', cellAt('provisioner')),
    column('ReclaimPolicy', 'What becomes of volumes whose claims are gone', cellAt('reclaimPolicy')),
    column('VolumeBindingMode', 'When volumes are made', cellAt('volumeBindingMode')),
    column('AllowVolumeExpansion', 'Whether volumes can grow', (object) => flagAt(object, 'allowVolumeExpansion')),
    ageColumn,
  ],
  'volumeattachments.storage.k8s.io': [
    nameColumn,
    { ...column('Attacher', 'Who attaches the volume', cellAt('spec.attacher')), format: 'name' },
    column('PV', 'The volume', cellAt('spec.source.persistentVolumeName')),
    column('Node', 'The node', cellAt('spec.nodeName')),
    boolean('Attached', 'Whether it is done', flagCell('status.attached')),
    ageColumn,
  ],
  'volumeattributesclasses.storage.k8s.io': [
    classNameColumn,
    column('DriverName', 'The driver that knows these attributes', cellAt('driverName')),
    ageColumn,
  ],
};
