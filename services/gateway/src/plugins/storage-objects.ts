import { amountsIn, metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { type Plugin, refused, specOf } from './plugin.ts';

const LEGACY_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** A claim can grow only if its storage class supports expansion. */
export const claimResize: Plugin = {
  name: 'PersistentVolumeClaimResize',
  handles: ['UPDATE persistentvolumeclaims'],
  validate: async (admitted) => {
    const { lookups, object, old } = admitted;
    if (old === undefined || sizeOf(object) <= sizeOf(old)) return;
    if (!isJsonObject(old.status) || old.status.phase !== 'Bound') {
      throw refused(admitted, 'Only bound persistent volume claims can be expanded');
    }
    const name = classOf(object);
    const key = { resource: 'storageclasses.storage.k8s.io', namespace: '', name };
    const found = name !== '' && name === classOf(old) ? await lookups.objects.stored(key) : undefined;
    if (found?.allowVolumeExpansion === true) return;
    throw refused(
      admitted,
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  },
};

function sizeOf(claim: JsonObject): bigint {
  const { resources } = specOf(claim);
  return amountsIn(isJsonObject(resources) ? resources.requests : undefined).get('storage')?.nanos ?? 0n;
}

function classOf(claim: JsonObject): string {
  return metaOf(claim).annotations?.[LEGACY_STORAGE_CLASS] ?? String(specOf(claim).storageClassName ?? '');
}

const FINALIZERS: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
};

/** Adds a finalizer, so that used storage is kept until kube-controller-manager finds it unused and removes it. */
export const inUseProtection: Plugin = {
  name: 'StorageObjectInUseProtection',
  handles: Object.keys(FINALIZERS).map((resource) => `CREATE ${resource}`),
  mutate: ({ request, object }) => {
    const finalizer = FINALIZERS[request.kind.storedAs];
    const meta = metaOf(object);
    if (finalizer === undefined || meta.finalizers?.includes(finalizer)) return;
    meta.finalizers = [...(meta.finalizers ?? []), finalizer];
  },
};
