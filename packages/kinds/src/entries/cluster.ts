import type { JsonObject } from '@tidegate/schema';
import type { KindRules } from '../kind-entry.ts';
import { textFields } from './fields.ts';

/** Access, certificates, leases, flow control, scheduling and node classes. */
export const clusterRules: Readonly<Record<string, KindRules>> = {
  'clusterroles.rbac.authorization.k8s.io': { name: 'path-segment' },
  'clusterrolebindings.rbac.authorization.k8s.io': { name: 'path-segment' },
  'roles.rbac.authorization.k8s.io': { name: 'path-segment' },
  'rolebindings.rbac.authorization.k8s.io': { name: 'path-segment' },
  'certificatesigningrequests.certificates.k8s.io': {
    name: 'path-segment',
    selectableFields: textFields({ 'spec.signerName': '' }),
    prepareCreate: (request, { name, uid, groups }) => {
      const { extra: _extra, ...spec } = (request.spec ?? {}) as JsonObject;
      request.spec = { ...spec, username: name, uid, groups: [...groups] };
    },
    prepareUpdate: (request, old) => {
      request.spec = old.spec ?? {};
    },
  },
  'leases.coordination.k8s.io': { conditionalUpdate: true },
  'flowschemas.flowcontrol.apiserver.k8s.io': { counts: ['spec'] },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { counts: ['spec'] },
  'priorityclasses.scheduling.k8s.io': { counts: [] },
  'runtimeclasses.node.k8s.io': { conditionalUpdate: true },
};
