import { isJsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import { warnOfAddress, warnOfNetwork } from '../network/address-warnings.ts';
import type { Warnings } from '../rules/warnings.ts';

const HINTS = 'service.kubernetes.io/topology-aware-hints';

const warnOfService: Warnings = (service, warn) => {
  const spec = service.field('spec');
  const { type, clusterIP = '', loadBalancerIP = '', sessionAffinity, externalName = '' } = spec.object;
  const external = spec.field('externalIPs');
  if (service.field('metadata.annotations').has(HINTS)) {
    warn(`annotation ${HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  }
  if (clusterIP !== '' && clusterIP !== 'None') {
    for (const address of spec.field('clusterIPs').items()) warnOfAddress(address, warn);
  }
  if (type === 'ClusterIP' && clusterIP === 'None') {
    if (loadBalancerIP !== '') warn('spec.loadBalancerIP is ignored for headless services');
    if (!external.isEmpty) warn('spec.externalIPs is ignored for headless services');
    if (sessionAffinity !== 'None') warn('spec.SessionAffinity is ignored for headless services');
  }
  for (const address of external.items()) warnOfAddress(address, warn);
  if (loadBalancerIP !== '') warnOfAddress(spec.field('loadBalancerIP'), warn);
  for (const network of spec.field('loadBalancerSourceRanges').items()) warnOfNetwork(network, warn);
  const isExternal = type === 'ExternalName';
  if (isExternal && !external.isEmpty) warn('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternal && externalName !== '') warn('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.object.trafficDistribution === 'PreferClose') {
    warn('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
};

const warnOfEndpoints: Warnings = (endpoints, warn) => {
  const { labels } = endpoints.field('metadata').object;
  // slices of the endpoint slice controller need no warnings
  if (isJsonObject(labels) && labels['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return;
  for (const subset of endpoints.field('subsets').items()) {
    for (const list of ['addresses', 'notReadyAddresses']) {
      for (const address of subset.field(list).items()) warnOfAddress(address.field('ip'), warn);
    }
  }
};

const CONTROLLERS = new Set<unknown>(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']);

const warnOfEndpointSlice: Warnings = (slice, warn, old) => {
  const { labels } = slice.field('metadata').object;
  const isFqdn = slice.field('addressType').text === 'FQDN';
  if (old === undefined && isFqdn) warn('spec.addressType: FQDN endpoints are deprecated');
  if (isFqdn || (isJsonObject(labels) && CONTROLLERS.has(labels['endpointslice.kubernetes.io/managed-by']))) return;
  for (const endpoint of slice.field('endpoints').items()) {
    for (const address of endpoint.field('addresses').items()) warnOfAddress(address, warn);
  }
};

export const warnings: ByResource<Warnings> = {
  services: warnOfService,
  endpoints: warnOfEndpoints,
  'endpointslices.discovery.k8s.io': warnOfEndpointSlice,
};
