import type { JsonObject } from '@tidegate/schema';
import { valueAt } from '../entries/fields.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, firstOf, listAt, NONE, selectorText, textAt, textsAt } from './cells.ts';
import { balancerText } from './service.ts';
import { ageColumn, column, nameColumn } from './shared.ts';

const MOST = 3;

function hosts(ingress: JsonObject): string {
  const all = listAt(ingress, 'spec.rules').flatMap(({ host }) => (host ? [String(host)] : []));
  return all.length === 0 ? '*' : firstOf(all, MOST);
}

function ports(slice: JsonObject): string {
  const all = listAt(slice, 'ports').map(({ port, name }) => String(port ?? name ?? '*'));
  return all.length === 0 ? '<unset>' : firstOf(all, MOST);
}

function addresses(slice: JsonObject): string {
  const all = listAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'));
  return all.length === 0 ? '<unset>' : firstOf(all, MOST);
}

function parameters(ingressClass: JsonObject): string {
  const name = textAt(ingressClass, 'spec.parameters.name');
  if (name === '') return NONE;
  const group = textAt(ingressClass, 'spec.parameters.apiGroup');
  return `${textAt(ingressClass, 'spec.parameters.kind')}${group === '' ? '' : `.${group}`}/${name}`;
}

function parent(address: JsonObject): string {
  const name = textAt(address, 'spec.parentRef.name');
  if (name === '') return NONE;
  const group = textAt(address, 'spec.parentRef.group');
  const resource = `${textAt(address, 'spec.parentRef.resource')}${group === '' ? '' : `.${group}`}`.toLowerCase();
  return [resource, textAt(address, 'spec.parentRef.namespace'), name].filter((part) => part !== '').join('/');
}

/** networking.k8s.io and discovery.k8s.io. */
export const networkColumns: Readonly<Record<string, readonly Column[]>> = {
  'endpointslices.discovery.k8s.io': [
    nameColumn,
    column('AddressType', 'What sort of addresses they are', cellAt('addressType')),
    column('Ports', 'Ports of all endpoints', ports),
    column('Endpoints', 'Addresses', addresses),
    ageColumn,
  ],
  'ingressclasses.networking.k8s.io': [
    nameColumn,
    column('Controller', 'Who serves ingresses of this class', cellAt('spec.controller')),
    column('Parameters', 'Where its settings are', parameters),
    ageColumn,
  ],
  'ingresses.networking.k8s.io': [
    nameColumn,
    column('Class', 'The class that serves it', cellAt('spec.ingressClassName', NONE)),
    column('Hosts', 'Hosts that are let in', hosts),
    column('Address', 'Where it can be reached', balancerText),
    column('Ports', 'Ports that are open', (ingress) => (countAt(ingress, 'spec.tls') > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'ipaddresses.networking.k8s.io': [nameColumn, column('ParentRef', 'Who has the address', parent), ageColumn],
  'networkpolicies.networking.k8s.io': [
    nameColumn,
    column('Pod-Selector', 'Labels of the pods that it is for', (policy) =>
      selectorText(valueAt(policy, 'spec.podSelector')),
    ),
    ageColumn,
  ],
  'servicecidrs.networking.k8s.io': [
    nameColumn,
    column('CIDRs', 'Where addresses of services come from', (object) => textsAt(object, 'spec.cidrs').join(',')),
    ageColumn,
  ],
};
