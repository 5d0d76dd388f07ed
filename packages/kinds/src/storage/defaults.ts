import { isJsonObject, type Json } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import { defaulter, IfAbsent, type SetDefaults } from '../rules/default-rules.ts';

/** dataSource can be another claim or a snapshot; other sources in the older field are removed. */
function dropUnknownSource(spec: Json | undefined): void {
  if (!isJsonObject(spec)) return;
  const { dataSource, dataSourceRef } = spec;
  // sources in other namespaces are not implemented
  if (isJsonObject(dataSourceRef) && dataSourceRef.namespace) delete spec.dataSourceRef;
  if (!isJsonObject(dataSource) || spec.dataSourceRef !== undefined) return;
  const { apiGroup = '', kind } = dataSource;
  const known =
    apiGroup === '' ? kind === 'PersistentVolumeClaim' : apiGroup === SNAPSHOTS && kind === 'VolumeSnapshot';
  if (!known) delete spec.dataSource;
}
const SNAPSHOTS = 'snapshot.storage.k8s.io';

const claimDefaults = defaulter({
  'spec.volumeMode': new IfAbsent('Filesystem'),
  // two names of the same field, except for sources in other namespaces
  'spec.dataSourceRef': ({ dataSource }) => structuredClone(dataSource),
  'spec.dataSource': ({ dataSourceRef }) =>
    isJsonObject(dataSourceRef) && !dataSourceRef.namespace ? structuredClone(dataSourceRef) : undefined,
  'status.phase': 'Pending',
});

export const defaults: ByResource<SetDefaults> = {
  'storageclasses.storage.k8s.io': defaulter({
    reclaimPolicy: new IfAbsent('Delete'),
    volumeBindingMode: new IfAbsent('Immediate'),
  }),
  'csidrivers.storage.k8s.io': defaulter({
    'spec.attachRequired': true,
    'spec.podInfoOnMount': false,
    'spec.storageCapacity': false,
    'spec.fsGroupPolicy': new IfAbsent('ReadWriteOnceWithFSType'),
    'spec.volumeLifecycleModes': ['Persistent'],
    'spec.requiresRepublish': false,
    'spec.seLinuxMount': false,
  }),
  persistentvolumeclaims: (object) => {
    dropUnknownSource(object.spec);
    claimDefaults(object);
  },
  persistentvolumes: defaulter({
    'spec.persistentVolumeReclaimPolicy': 'Retain',
    'spec.volumeMode': new IfAbsent('Filesystem'),
    'spec.hostPath.type': '',
    'status.phase': 'Pending',
  }),
};
