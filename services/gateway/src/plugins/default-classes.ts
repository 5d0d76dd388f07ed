import { metaOf } from '@tidegate/kinds';
import { type Plugin, specOf, usualOf } from './plugin.ts';

const STORAGE_CLASSES = 'storageclasses.storage.k8s.io';
const USUAL_STORAGE = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
/** where claims named their class once */
const OLD_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** A new claim that names no class is of the usual one, where there is one. */
export const defaultStorageClass: Plugin = {
  name: 'DefaultStorageClass',
  concerns: ['CREATE persistentvolumeclaims'],
  needs: [STORAGE_CLASSES],
  mutate: async ({ lookups, object }) => {
    const spec = specOf(object);
    if (metaOf(object).annotations?.[OLD_STORAGE_CLASS] !== undefined || spec.storageClassName !== undefined) return;
    const usual = await usualOf(lookups, STORAGE_CLASSES, USUAL_STORAGE);
    if (usual !== undefined) spec.storageClassName = usual;
  },
};

const INGRESSES = 'ingresses.networking.k8s.io';
const INGRESS_CLASSES = 'ingressclasses.networking.k8s.io';
const USUAL_INGRESS = ['ingressclass.kubernetes.io/is-default-class'];
const OLD_INGRESS_CLASS = 'kubernetes.io/ingress.class';

/** So is a new ingress. */
export const defaultIngressClass: Plugin = {
  name: 'DefaultIngressClass',
  concerns: [`CREATE ${INGRESSES}`],
  needs: [INGRESS_CLASSES],
  mutate: async ({ lookups, object }) => {
    const spec = specOf(object);
    if (metaOf(object).annotations?.[OLD_INGRESS_CLASS] !== undefined || spec.ingressClassName !== undefined) return;
    const usual = await usualOf(lookups, INGRESS_CLASSES, USUAL_INGRESS);
    if (usual !== undefined) spec.ingressClassName = usual;
  },
};
