import type { KindRules } from '../kind-entry.ts';

/** networking.k8s.io and discovery.k8s.io. */
export const networkRules: Readonly<Record<string, KindRules>> = {
  'ingressclasses.networking.k8s.io': { counts: ['spec'] },
  'ingresses.networking.k8s.io': { counts: ['spec'] },
  'ipaddresses.networking.k8s.io': { name: 'address' },
  'networkpolicies.networking.k8s.io': { counts: ['spec'] },
  'endpointslices.discovery.k8s.io': { counts: ['addressType', 'endpoints', 'ports', 'metadata.labels'] },
};
