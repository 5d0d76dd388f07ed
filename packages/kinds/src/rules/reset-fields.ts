import type { KindEntry } from '../kind-entry.ts';

type Paths = ReadonlyArray<readonly string[]>;

const STATUS: Paths = [['status']];
const SPEC: Paths = [['spec']];
const ALL_BUT_STATUS: Paths = [['metadata'], ['spec']];

/** By resource and path, where it is not what is usual. */
const UNUSUAL: Readonly<Record<string, Readonly<Record<string, Paths>>>> = {
  'certificatesigningrequests.certificates.k8s.io': {
    '': [['spec'], ['status']],
    status: [['spec'], ['status', 'conditions']],
    approval: [['spec'], ['status', 'certificate']],
  },
  'deployments.apps': { status: [['spec'], ['metadata', 'labels']] },
  'flowschemas.flowcontrol.apiserver.k8s.io': { status: ALL_BUT_STATUS },
  pods: { status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { status: ALL_BUT_STATUS },
  'resourceclaims.resource.k8s.io': { status: ALL_BUT_STATUS },
  'validatingadmissionpolicies.admissionregistration.k8s.io': { status: ALL_BUT_STATUS },
  'volumeattachments.storage.k8s.io': { status: ALL_BUT_STATUS },
};

/** What a request to a path of the object takes back, so that nobody comes to own it there. */
export function resetFields({ resource, group, subresources }: KindEntry, subresource: string): Paths {
  const unusual = UNUSUAL[group === '' ? resource : `${resource}.${group}`]?.[subresource];
  if (unusual !== undefined) return unusual;
  if (subresource === 'status') return SPEC;
  return subresources.status === undefined ? [] : STATUS;
}
