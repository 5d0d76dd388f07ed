import type { JsonObject } from '@tidegate/schema';
import { valueAt } from '../entries/fields.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, flagAt, flagCell, listAt, NONE, textsAt } from './cells.ts';
import { ageColumn, boolean, column, integer, nameColumn } from './shared.ts';

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** The name of a class, and whether claims that name none get it. */
const classNameColumn: Column = {
  ...nameColumn,
  cell: (object) => {
    const annotations = (valueAt(object, 'metadata.annotations') ?? {}) as JsonObject;
    const isDefault = DEFAULT_CLASS.some((name) => annotations[name] === 'true');
    return `${String(nameColumn.cell(object))}${isDefault ? ' (default)' : ''}`;
  },
};

function claimState(claim: JsonObject): string {
  const deleted = valueAt(claim, 'metadata.deletionTimestamp') !== undefined;
  const allocated = valueAt(claim, 'status.allocation') !== undefined;
  const states = [
    deleted ? 'deleted' : '',
    !allocated && !deleted ? 'pending' : '',
    allocated ? 'allocated' : '',
    allocated && countAt(claim, 'status.reservedFor') > 0 ? 'reserved' : '',
  ];
  return states.filter((state) => state !== '').join(',');
}

/** storage.k8s.io and resource.k8s.io. */
export const storageColumns: Readonly<Record<string, readonly Column[]>> = {
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
  'deviceclasses.resource.k8s.io': [nameColumn, ageColumn],
  'resourceclaims.resource.k8s.io': [nameColumn, column('State', 'How far the claim is', claimState), ageColumn],
  'resourceclaimtemplates.resource.k8s.io': [nameColumn, ageColumn],
  'resourceslices.resource.k8s.io': [
    nameColumn,
    column('Node', 'The node that has the devices', cellAt('spec.nodeName')),
    column('Driver', 'The driver of the devices', cellAt('spec.driver')),
    column('Pool', 'The pool that they belong to', cellAt('spec.pool.name')),
    ageColumn,
  ],
};
