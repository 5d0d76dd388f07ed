import type { ByResource, Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { unchanged } from '../rules/checks.ts';
import { belowEach, defaulter, IfAbsent, type SetDefaults } from '../rules/default-rules.ts';
import type { Place } from '../rules/place.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import type { AddWarning, Warnings } from '../rules/warnings.ts';
import { warnOfNetwork } from './address-warnings.ts';
import { columns } from './columns.ts';
import { cidrsUpdate, networkChecks } from './validation.ts';

const warnOfIngress: Warnings = (ingress, warn, old) => {
  const hasAnnotation = ingress.field('metadata.annotations').has('kubernetes.io/ingress.class');
  if (old !== undefined || !hasAnnotation || ingress.field('spec').has('ingressClassName')) return;
  warn(`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`);
};

const warnOfNetworkPolicy: Warnings = (policy, warn) => {
  for (const [way, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    const blocks = policy
      .field(`spec.${way}`)
      .items()
      .flatMap((rule) => rule.field(peers).items())
      .filter((peer) => peer.has('ipBlock'));
    for (const block of blocks) warnOfBlock(block.field('ipBlock'), warn);
  }
};

function warnOfBlock(block: Place, warn: AddWarning): void {
  warnOfNetwork(block.field('cidr'), warn);
  for (const except of block.field('except').items()) warnOfNetwork(except, warn);
}

const defaults: ByResource<SetDefaults> = {
  'networkpolicies.networking.k8s.io': defaulter({
    ...belowEach(['spec.ingress[].ports[]', 'spec.egress[].ports[]'], { protocol: new IfAbsent('TCP') }),
    'spec.policyTypes': ({ egress }) =>
      Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'],
  }),
  'ingressclasses.networking.k8s.io': defaulter({ 'spec.parameters.scope': new IfAbsent('Cluster') }),
};

const rules: ByResource<KindRules> = {
  'ingressclasses.networking.k8s.io': { generationPaths: ['spec'] },
  'ingresses.networking.k8s.io': { generationPaths: ['spec'] },
  'ipaddresses.networking.k8s.io': { name: 'address' },
  'networkpolicies.networking.k8s.io': { generationPaths: ['spec'] },
};

const updates: ByResource<UpdateChecks> = {
  'ingressclasses.networking.k8s.io': { 'spec.controller': unchanged },
  'servicecidrs.networking.k8s.io': { 'spec.cidrs': cidrsUpdate },
  'ipaddresses.networking.k8s.io': { 'spec.parentRef': unchanged },
};

const warnings: ByResource<Warnings> = {
  'ingresses.networking.k8s.io': warnOfIngress,
  'networkpolicies.networking.k8s.io': warnOfNetworkPolicy,
};

export const network: Family = { rules, defaults, columns, updates, warnings, types: networkChecks };
