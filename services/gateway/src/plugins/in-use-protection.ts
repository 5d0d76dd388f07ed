import { metaOf } from '@tidegate/kinds';
import type { Plugin } from './plugin.ts';

const FINALIZERS: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
};

/** What storage is used stays until kube-controller-manager finds that nobody uses it, and takes the finalizer away. */
export const inUseProtection: Plugin = {
  name: 'StorageObjectInUseProtection',
  concerns: Object.keys(FINALIZERS).map((resource) => `CREATE ${resource}`),
  mutate: ({ request, object }) => {
    const finalizer = FINALIZERS[request.kind.storedAs];
    const meta = metaOf(object);
    if (finalizer === undefined || meta.finalizers?.includes(finalizer)) return;
    meta.finalizers = [...(meta.finalizers ?? []), finalizer];
  },
};
