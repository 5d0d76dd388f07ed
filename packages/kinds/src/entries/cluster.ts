import type { KindRules } from '../kind-entry.ts';
import { signingRequest } from './signing-request.ts';

/** Access, certificates, leases, flow control, scheduling and node classes. */
export const clusterRules: Readonly<Record<string, KindRules>> = {
  'clusterroles.rbac.authorization.k8s.io': { name: 'path-segment' },
  'clusterrolebindings.rbac.authorization.k8s.io': { name: 'path-segment' },
  'roles.rbac.authorization.k8s.io': { name: 'path-segment' },
  'rolebindings.rbac.authorization.k8s.io': { name: 'path-segment' },
  'certificatesigningrequests.certificates.k8s.io': signingRequest,
  'leases.coordination.k8s.io': { conditionalUpdate: true },
  'flowschemas.flowcontrol.apiserver.k8s.io': { counts: ['spec'] },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { counts: ['spec'] },
  'priorityclasses.scheduling.k8s.io': { counts: [] },
  'runtimeclasses.node.k8s.io': { conditionalUpdate: true },
};
