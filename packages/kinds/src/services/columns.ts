import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, firstOf, labelsText, listAt, NONE, textAt, textsAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn, wide } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

function endpointsText(endpoints: JsonObject): string {
  const all = listAt(endpoints, 'subsets').flatMap((subset) => {
    const ips = listAt(subset, 'addresses').map(({ ip }) => String(ip));
    const ports = listAt(subset, 'ports').map(({ port }) => String(port));
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`));
  });
  return countAt(endpoints, 'subsets') === 0 ? NONE : firstOf(all, 3).replace(NONE, '');
}

export const MAX_SHOWN = 3;

function slicePorts(slice: JsonObject): string {
  const all = listAt(slice, 'ports').map(({ port, name }) => String(port ?? name ?? '*'));
  return all.length === 0 ? '<unset>' : firstOf(all, MAX_SHOWN);
}

function sliceAddresses(slice: JsonObject): string {
  const all = listAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'));
  return all.length === 0 ? '<unset>' : firstOf(all, MAX_SHOWN);
}

const MAX_LETTERS = 16;

const serviceColumns: readonly Column[] = [
  nameColumn,
  column('Type', 'Type of the service', cellAt('spec.type')),
  column('Cluster-IP', 'Cluster IP address', (service) => {
    const ip = textAt(service, 'spec.clusterIP', NONE);
    return textAt(service, 'spec.type') === 'ExternalName' ? NONE : ip;
  }),
  column('External-IP', 'Addresses outside of the cluster', externalIp),
  column('Port(s)', 'Ports with node ports and protocols', (service) => {
    const ports = listAt(service, 'spec.ports').map(({ port, nodePort, protocol }) =>
      nodePort ? `${String(port)}:${String(nodePort)}/${String(protocol)}` : `${String(port)}/${String(protocol)}`,
    );
    return ports.length === 0 ? NONE : ports.join(',');
  }),
  ageColumn,
  wide('Selector', 'Labels of the selected pods', (service) => labelsText(valueAt(service, 'spec.selector'))),
];

function externalIp(service: JsonObject): string {
  const own = textsAt(service, 'spec.externalIPs').join(',');
  switch (textAt(service, 'spec.type')) {
    case 'ExternalName':
      return textAt(service, 'spec.externalName');
    case 'LoadBalancer': {
      const balanced = balancerText(service);
      const all = [balanced, own].filter((text) => text !== '').join(',');
      return all === '' ? '<pending>' : all;
    }
    default:
      return own === '' ? NONE : own;
  }
}

/** Addresses and names of a load balancer, shortened for a column. */
export function balancerText(object: JsonObject): string {
  const all = listAt(object, 'status.loadBalancer.ingress').map(({ ip, hostname }) => String(ip || hostname || ''));
  const text = [...new Set(all.filter((one) => one !== ''))].sort().join(',');
  return text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS - 3)}...` : text;
}

export const columns: ByResource<readonly Column[]> = {
  endpoints: [nameColumn, column('Endpoints', 'Ready addresses and ports', endpointsText), ageColumn],
  services: serviceColumns,
  'endpointslices.discovery.k8s.io': [
    nameColumn,
    column('AddressType', 'Type of the addresses', cellAt('addressType')),
    column('Ports', 'Ports of the endpoints', slicePorts),
    column('Endpoints', 'Addresses', sliceAddresses),
    ageColumn,
  ],
};
