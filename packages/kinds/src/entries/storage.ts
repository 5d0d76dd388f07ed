import type { KindRules } from '../kind-entry.ts';
import { textFields } from './fields.ts';

/** storage.k8s.io and resource.k8s.io. */
export const storageRules: Readonly<Record<string, KindRules>> = {
  'csidrivers.storage.k8s.io': { deleteReturnsObject: true, conditionalUpdate: true },
  'csinodes.storage.k8s.io': { deleteReturnsObject: true, conditionalUpdate: true },
  'csistoragecapacities.storage.k8s.io': { conditionalUpdate: true },
  'storageclasses.storage.k8s.io': { deleteReturnsObject: true },
  'volumeattachments.storage.k8s.io': { deleteReturnsObject: true, conditionalUpdate: true },
  'volumeattributesclasses.storage.k8s.io': { deleteReturnsObject: true },
  'deviceclasses.resource.k8s.io': { deleteReturnsObject: true, counts: ['spec'] },
  'resourceclaims.resource.k8s.io': { deleteReturnsObject: true },
  'resourceclaimtemplates.resource.k8s.io': { deleteReturnsObject: true },
  'resourceslices.resource.k8s.io': {
    deleteReturnsObject: true,
    counts: ['spec'],
    selectableFields: textFields({ 'spec.nodeName': '', 'spec.driver': '' }),
  },
};
