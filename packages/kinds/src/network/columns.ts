import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, firstOf, listAt, NONE, selectorText, textAt, textsAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';
import { balancerText, MOST_SHOWN } from '../services/columns.ts';

function hosts(ingress: JsonObject): string {
  const all = listAt(ingress, 'spec.rules').flatMap(({ host }) => (host ? [String(host)] : []));
  return all.length === 0 ? '*' : firstOf(all, MOST_SHOWN);
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
