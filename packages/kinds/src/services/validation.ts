import { parseLenientAddress, specialsOf, unmapped } from '@tidegate/addresses';
import { labelKeyProblems, subdomainProblems } from '../objects/names.ts';
import {
  address,
  isNetwork,
  label,
  labels,
  NETWORK,
  oneOf,
  port,
  portOrName,
  required,
  requiredOneOf,
} from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';
import { addresses } from './addresses.ts';

const isExternal = (type: string): boolean => type === 'NodePort' || type === 'LoadBalancer';

const ports: Check = (spec) => {
  const list = spec.field('ports');
  const type = spec.field('type').text;
  const headless = spec.field('clusterIP').text === 'None';
  if (list.isEmpty && type !== 'ExternalName' && !headless) list.required();
  const names = new Set<string>();
  const numbers = new Set<string>();
  const nodePorts = new Set<string>();
  for (const one of list.items()) {
    const name = one.field('name');
    if (name.text === '' && list.list.length > 1) name.required();
    if (name.text !== '' && names.has(name.text)) name.duplicate();
    names.add(name.text);
    const number = `${one.object.protocol}/${one.object.port}`;
    if (numbers.has(number)) one.duplicate({ protocol: one.object.protocol, port: one.object.port });
    numbers.add(number);
    const nodePort = one.field('nodePort');
    if (nodePort.isEmpty) continue;
    if (type === 'ClusterIP') nodePort.forbidden("may not be used when `type` is 'ClusterIP'");
    const taken = `${one.object.protocol}:${one.object.nodePort}`;
    if (nodePorts.has(taken)) nodePort.duplicate();
    nodePorts.add(taken);
  }
};

/**
 * Addresses that Kubernetes rejects, in its order. Connections to other addresses of this machine are rejected when
 * they are made.
 */
const REJECTED_RANGES = [
  ['loopback', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['link-local', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  ['link-local multicast', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
] as const;

/** Checks an external IP: it must not be one of these special addresses. */
export const notSpecialAddress: Check = (place) => {
  const address = parseLenientAddress(place.text);
  if (address === undefined) return;
  const specials = specialsOf(unmapped(address));
  if (specials.has('unspecified')) place.invalid(`may not be unspecified (${place.text})`);
  for (const [special, detail] of REJECTED_RANGES) if (specials.has(special)) place.invalid(detail);
};

const byType: Check = (spec) => {
  const type = spec.field('type').text;
  const name = spec.field('externalName');
  if (type === 'ExternalName') {
    if (name.text === '') name.required();
    else name.invalidFor(subdomainProblems(name.text.replace(/\.$/, '')));
  }
  const ranges = spec.field('loadBalancerSourceRanges');
  for (const [index, range] of ranges.list.entries()) {
    const text = String(range).trim();
    if (!isNetwork(text)) spec.as('LoadBalancerSourceRanges', ranges.value).item(index).invalid(NETWORK);
  }
  const external = spec.field('externalTrafficPolicy');
  if (external.text === '') return;
  if (!isExternal(type) && spec.field('externalIPs').isEmpty) {
    external.invalid('may only be set for externally-accessible services');
  } else if (!['Cluster', 'Local'].includes(external.text)) external.unsupported(['Cluster', 'Local']);
};

const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

/** Checks fields that are only allowed for load balancers. */
const balanced: Check = (spec) => {
  const isBalanced = spec.object.type === 'LoadBalancer';
  const [ranges, nodePorts] = [spec.field('loadBalancerSourceRanges'), spec.field('allocateLoadBalancerNodePorts')];
  if (!ranges.isEmpty && !isBalanced) {
    spec.as('LoadBalancerSourceRanges', ranges.value ?? null).forbidden(ONLY_BALANCED);
  }
  if (nodePorts.value !== undefined && !isBalanced) nodePorts.forbidden(ONLY_BALANCED);
  const kind = spec.field('loadBalancerClass');
  if (kind.value !== undefined) {
    if (!isBalanced) kind.forbidden(ONLY_BALANCED);
    else kind.invalidFor(labelKeyProblems(kind.text), kind.text);
  }
  const check = spec.field('healthCheckNodePort');
  if (check.isEmpty) return;
  if (!isBalanced || spec.object.externalTrafficPolicy !== 'Local') {
    check.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  } else port(check);
};

const affinity: Check = (spec) => {
  const config = spec.field('sessionAffinityConfig');
  if (spec.object.sessionAffinity === 'None' && config.value !== undefined) {
    config.forbidden('must not be set when session affinity is None');
  }
  if (spec.object.sessionAffinity !== 'ClientIP') return;
  const timeout = config.field('clientIP.timeoutSeconds');
  if (timeout.value === undefined) return;
  if (Number(timeout.value) <= 0 || Number(timeout.value) > 86400) {
    timeout.invalid('must be greater than 0 and less than 86400');
  }
};

const qualified: Check = (place) => place.invalidFor(labelKeyProblems(place.text));

export const serviceChecks: RuleTable = {
  'core.v1.ServiceSpec': {
    selector: labels,
    type: [required(), oneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort')],
    sessionAffinity: [required(), oneOf('ClientIP', 'None')],
    internalTrafficPolicy: requiredOneOf('Cluster', 'Local'),
    trafficDistribution: requiredOneOf('PreferClose', 'PreferSameZone', 'PreferSameNode'),
    'externalIPs[]': [address, notSpecialAddress],
    '': [ports, addresses, byType, balanced, affinity],
  },
  'core.v1.ServicePort': {
    name: label,
    port,
    protocol: oneOf('SCTP', 'TCP', 'UDP'),
    targetPort: portOrName,
    appProtocol: qualified,
  },
  'core.v1.EndpointSubset': { '': endpointSubset },
  'core.v1.EndpointAddress': {
    ip: endpointAddress(),
    hostname: label,
    nodeName: (place) => place.invalidFor(subdomainProblems(place.text)),
  },
  'core.v1.EndpointPort': {
    port,
    protocol: [required(), oneOf('SCTP', 'TCP', 'UDP')],
    name: label,
    appProtocol: qualified,
  },
};

function endpointSubset(subset: Place): void {
  if (subset.field('addresses').isEmpty && subset.field('notReadyAddresses').isEmpty) {
    subset.required('must specify `addresses` or `notReadyAddresses`');
  }
  const list = subset.field('ports');
  if (list.list.length < 2) return;
  for (const one of list.items()) if (one.field('name').isEmpty) one.field('name').required();
}

function endpointAddress(): Check {
  return Object.assign(
    (place: Place) => {
      address(place);
      if (parseLenientAddress(place.text) === undefined) place.invalid('must be a valid IP address', place.text);
      else notSpecialAddress(place);
    },
    { always: true },
  );
}

/** Checks the update of a service: a cluster IP must not change. */
export function serviceUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  if (now.object.type === 'ExternalName' || before.object.type === 'ExternalName') return;
  const [first] = (before.object.clusterIPs ?? []) as string[];
  const all = now.field('clusterIPs');
  if (first !== undefined && first !== '' && all.list[0] !== first) {
    all.item(0).invalid('may not change once set', all.value);
  }
}
