import { metaOf } from '@tidegate/kinds';
import { defaultClassOf, type Plugin, specOf } from './plugin.ts';

const STORAGE_CLASSES = 'storageclasses.storage.k8s.io';
const DEFAULT_STORAGE = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
/** the annotation that named the class before the field existed */
const LEGACY_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** A new claim without a class gets the default storage class, if there is one. */
export const defaultStorageClass: Plugin = {
  name: 'DefaultStorageClass',
  handles: ['CREATE persistentvolumeclaims'],
  needs: [STORAGE_CLASSES],
  mutate: async ({ lookups, object }) => {
    const spec = specOf(object);
    if (metaOf(object).annotations?.[LEGACY_STORAGE_CLASS] !== undefined || spec.storageClassName !== undefined) return;
    const defaultClass = await defaultClassOf(lookups, STORAGE_CLASSES, DEFAULT_STORAGE);
    if (defaultClass !== undefined) spec.storageClassName = defaultClass;
  },
};

const INGRESSES = 'ingresses.networking.k8s.io';
const INGRESS_CLASSES = 'ingressclasses.networking.k8s.io';
const DEFAULT_INGRESS = ['ingressclass.kubernetes.io/is-default-class'];
const LEGACY_INGRESS_CLASS = 'kubernetes.io/ingress.class';

/** A new ingress without a class gets the default ingress class, if there is one. */
export const defaultIngressClass: Plugin = {
  name: 'DefaultIngressClass',
  handles: [`CREATE ${INGRESSES}`],
  needs: [INGRESS_CLASSES],
  mutate: async ({ lookups, object }) => {
    const spec = specOf(object);
    if (metaOf(object).annotations?.[LEGACY_INGRESS_CLASS] !== undefined || spec.ingressClassName !== undefined) return;
    const defaultClass = await defaultClassOf(lookups, INGRESS_CLASSES, DEFAULT_INGRESS);
    if (defaultClass !== undefined) spec.ingressClassName = defaultClass;
  },
};
