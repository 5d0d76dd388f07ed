import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, firstOf, listAt, NONE, selectorText, textAt, textsAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';
import { balancerText, MAX_SHOWN } from '../services/columns.ts';

function hosts(ingress: JsonObject): string {
  const all = listAt(ingress, 'spec.rules').flatMap(({ host }) => (host ? [String(host)] : []));
  return all.length === 0 ? '*' : firstOf(all, MAX_SHOWN);
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

export const columns: ByResource<readonly Column[]> = {
  'ingressclasses.networking.k8s.io': [
    nameColumn,
    column('Controller', 'Controller of the ingresses of this class', cellAt('spec.controller')),
    column('Parameters', 'Object with the parameters', parameters),
    ageColumn,
  ],
  'ingresses.networking.k8s.io': [
    nameColumn,
    column('Class', 'Ingress class', cellAt('spec.ingressClassName', NONE)),
    column('Hosts', 'Hosts of the rules', hosts),
    column('Address', 'Addresses of the load balancer', balancerText),
    column('Ports', 'Open ports', (ingress) => (countAt(ingress, 'spec.tls') > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'ipaddresses.networking.k8s.io': [nameColumn, column('ParentRef', 'Object that uses the address', parent), ageColumn],
  'networkpolicies.networking.k8s.io': [
    nameColumn,
    column('Pod-Selector', 'Labels of the selected pods', (policy) =>
      selectorText(valueAt(policy, 'spec.podSelector')),
    ),
    ageColumn,
  ],
  'servicecidrs.networking.k8s.io': [
    nameColumn,
    column('CIDRs', 'Ranges of service addresses', (object) => textsAt(object, 'spec.cidrs').join(',')),
    ageColumn,
  ],
};
