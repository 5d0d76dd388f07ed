import type { JsonObject } from '@tidegate/schema';
import { valueAt } from '../entries/fields.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, labelsText, listAt, NONE, textAt, textsAt } from './cells.ts';
import { ageColumn, column, nameColumn, wide } from './shared.ts';

const MOST_LETTERS = 16;

export const serviceColumns: readonly Column[] = [
  nameColumn,
  column('Type', 'How the service can be reached', cellAt('spec.type')),
  column('Cluster-IP', 'Address inside', (service) => {
    const ip = textAt(service, 'spec.clusterIP', NONE);
    return textAt(service, 'spec.type') === 'ExternalName' ? NONE : ip;
  }),
  column('External-IP', 'Addresses outside', externalIp),
  column('Port(s)', 'Ports, with those of the nodes, and protocols', (service) => {
    const ports = listAt(service, 'spec.ports').map(({ port, nodePort, protocol }) =>
      nodePort ? `${String(port)}:${String(nodePort)}/${String(protocol)}` : `${String(port)}/${String(protocol)}`,
    );
    return ports.length === 0 ? NONE : ports.join(',');
  }),
  ageColumn,
  wide('Selector', 'Labels of the pods behind it', (service) => labelsText(valueAt(service, 'spec.selector'))),
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

/** Addresses and names of a load balancer, cut where they are too long for a column. */
export function balancerText(object: JsonObject): string {
  const all = listAt(object, 'status.loadBalancer.ingress').map(({ ip, hostname }) => String(ip || hostname || ''));
  const text = [...new Set(all.filter((one) => one !== ''))].sort().join(',');
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 3)}...` : text;
}
