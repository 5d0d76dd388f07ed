import { parseAddress, parseLenientNetwork } from '@tidegate/addresses';
import { label1035Problems, labelProblems, pathSegmentProblems, subdomainProblems } from '../objects/names.ts';
import {
  IMMUTABLE,
  isNetwork,
  NETWORK,
  named,
  network,
  port,
  portNameProblems,
  required,
  requiredOneOf,
  subdomain,
} from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const ENDS = ['/..', '/.'];

const ingressPath: Check = (place) => {
  const type = place.field('pathType');
  const path = place.field('path');
  if (type.value === undefined) {
    type.required('pathType must be specified');
    return;
  }
  if (!PATH_TYPES.includes(type.text)) type.unsupported(PATH_TYPES);
  else if (type.text === 'ImplementationSpecific') {
    if (path.text !== '' && !path.text.startsWith('/')) path.invalid('must be an absolute path');
  } else if (!path.text.startsWith('/')) path.invalid('must be an absolute path', path.text);
  else {
    for (const part of PARTS) if (path.text.includes(part)) path.invalid(`must not contain '${part}'`);
    for (const end of ENDS) if (path.text.endsWith(end)) path.invalid(`cannot end with '${end}'`);
  }
};

/** Checks a reference to an object by group, kind and name. */
function reference(place: Place): void {
  const group = place.field('apiGroup');
  if (group.value !== undefined) group.invalidFor(subdomainProblems(group.text));
  for (const name of ['kind', 'name']) {
    const field = place.field(name);
    if (field.isEmpty) field.required();
    else field.invalidFor(pathSegmentProblems(field.text));
  }
}

const backend: Check = (place) => {
  const service = place.field('service');
  if (place.has('resource') && place.has('service')) {
    place.invalid('cannot set both resource and service backends', '');
    return;
  }
  if (place.has('resource')) {
    reference(place.field('resource'));
    return;
  }
  if (service.value === undefined) {
    place.invalid('resource or service backend is required', '');
    return;
  }
  const name = service.field('name');
  if (name.text === '') name.required();
  else name.invalidFor(label1035Problems(name.text));
  const number = service.field('port.number');
  const called = service.field('port.name');
  if (number.isEmpty && called.isEmpty) place.required('port name or number is required');
  else if (!number.isEmpty && !called.isEmpty) place.invalid('cannot set both port name & port number', '');
  else if (number.isEmpty) called.invalidFor(portNameProblems(called.text));
  else port(number);
};

const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const host: Check = (place) => {
  const { text } = place;
  if (text === '') return;
  if (parseAddress(text) !== undefined) place.invalid('must be a DNS name, not an IP address');
  else if (!text.includes('*')) place.invalidFor(subdomainProblems(text));
  else if (!text.startsWith('*.') || subdomainProblems(text.slice(2)).length > 0) place.invalid(WILDCARD);
};

const tlsHost: Check = (place) => {
  if (place.text.includes('*')) host(place);
  else place.invalidFor(subdomainProblems(place.text), place.text);
};

const someRoute: Check = (spec) => {
  if (spec.field('rules').isEmpty && !spec.has('defaultBackend')) {
    spec.invalid('either `defaultBackend` or `rules` must be specified');
  }
};

const ingressController: Check = (place) => {
  const { text } = place;
  if (text.length > 250) {
    place.tooLong('may not be more than 250 bytes');
  }
  const [domain = '', ...rest] = text.split('/');
  if (rest.length === 0 || rest[0] === '' || domain === '')
    place.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
  else place.invalidFor(subdomainProblems(domain), domain);
};

const SCOPES = ['Cluster', 'Namespace'];
const classParameters: Check = (place) => {
  reference(place);
  const scope = place.field('scope');
  const namespace = place.field('namespace');
  if (scope.value === undefined) scope.required();
  else if (!SCOPES.includes(scope.text)) scope.unsupported(SCOPES);
  else if (scope.text === 'Namespace') {
    if (namespace.value === undefined) namespace.required("`parameters.scope` is set to 'Namespace'");
    else namespace.invalidFor(labelProblems(namespace.text));
  } else if (namespace.value !== undefined) namespace.forbidden("`parameters.scope` is set to 'Cluster'");
};

const policyPeer: Check = (peer) => {
  const given = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) => peer.has(name));
  if (given.length === 0) peer.required('must specify a peer');
  else if (given.length > 1 && peer.has('ipBlock')) peer.forbidden('may not specify both ipBlock and another peer');
};

const addressBlock: Check = (block) => {
  const cidr = block.field('cidr');
  if (cidr.text === '') cidr.required();
  else network(cidr);
  if (!isNetwork(cidr.text)) return;
  for (const one of block.field('except').items()) {
    if (!isNetwork(one.text)) one.invalid(NETWORK);
    else if (!isWithin(one.text, cidr.text)) one.invalid('must be a strict subset of `cidr`');
  }
};

/** Whether a network is a smaller part of another. */
function isWithin(inner: string, outer: string): boolean {
  const [innerNetwork, outerNetwork] = [parseLenientNetwork(inner), parseLenientNetwork(outer)];
  if (innerNetwork === undefined || outerNetwork === undefined) return false;
  return innerNetwork.length > outerNetwork.length && outerNetwork.covers(innerNetwork);
}

const policyPort: Check = (place) => {
  const [number, end] = [place.field('port'), place.field('endPort')];
  if (typeof number.value === 'string') number.invalidFor(portNameProblems(number.value));
  else if (number.value !== undefined) port(number);
  if (end.value === undefined) return;
  if (number.value === undefined) end.invalid('may not be specified when `port` is not specified');
  else if (typeof number.value === 'string') end.invalid('may not be specified when `port` is non-numeric');
  else {
    if (Number(end.value) < Number(number.value)) {
      end.invalid('must be greater than or equal to `port`', number.value);
    }
    port(end);
  }
};

const parent: Check = (place) => {
  for (const name of ['resource', 'name']) if (place.field(name).isEmpty) place.field(name).required();
  for (const name of ['resource', 'name', 'namespace']) {
    const field = place.field(name);
    if (field.text !== '') field.invalidFor(pathSegmentProblems(field.text));
  }
  subdomain(place.field('group'));
};

/** leading zeros in an IPv4 address or prefix length: some programs read such numbers as octal */
const LEADING_ZEROS = /(?:^|[.:/])0\d+(?=[./]|$)/;

const cidrs: Check = Object.assign(
  (place: Place) => {
    if (place.isEmpty) place.required('at least one CIDR required');
    if (place.list.length > 2) {
      place.invalid('may only hold up to 2 values');
      return;
    }
    for (const one of place.items()) {
      if (!isNetwork(one.text)) one.invalid(NETWORK);
      else if (LEADING_ZEROS.test(one.text)) one.invalid('must not have leading 0s in IP or prefix length');
      else {
        const found = parseLenientNetwork(one.text);
        if (found?.first.equals(found.address) === false)
          one.invalid('must not have bits set beyond the prefix length');
      }
    }
    const families = new Set(place.list.map((one) => String(one).includes(':')));
    if (place.list.length === 2 && families.size === 1 && place.list.every((one) => isNetwork(String(one)))) {
      place.invalid('may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64');
    }
  },
  { always: true },
);

export function cidrsUpdate(now: Place, old: Place): void {
  const grows = old.list.length === 1 && now.list.length === 2;
  if (!grows && now.list.length !== old.list.length) {
    now.invalid(IMMUTABLE);
    return;
  }
  for (const [index, one] of old.list.entries()) if (now.list[index] !== one) now.item(index).invalid(IMMUTABLE);
}

const POLICY_TYPES = ['Ingress', 'Egress'];

const policyTypes: Check = (place) => {
  if (place.list.length > POLICY_TYPES.length) {
    place.invalid('may not specify more than two policyTypes');
    return;
  }
  for (const one of place.items()) if (!POLICY_TYPES.includes(one.text)) one.unsupported(POLICY_TYPES, one.text);
};

export const networkChecks: RuleTable = {
  'networking.v1.IngressSpec': { ingressClassName: named(subdomainProblems), '': someRoute },
  'networking.v1.IngressRule': { host },
  'networking.v1.IngressTLS': { 'hosts[]': tlsHost, secretName: subdomain },
  'networking.v1.HTTPIngressRuleValue': { paths: required() },
  'networking.v1.HTTPIngressPath': { backend: ({ holder }) => holder?.has('pathType'), '': ingressPath },
  'networking.v1.IngressBackend': { '': backend },
  'networking.v1.IngressClassSpec': { controller: [required(), ingressController] },
  'networking.v1.IngressClassParametersReference': { '': classParameters },
  'networking.v1.NetworkPolicySpec': { policyTypes },
  'networking.v1.NetworkPolicyPeer': { '': policyPeer },
  'networking.v1.IPBlock': { '': addressBlock },
  'networking.v1.NetworkPolicyPort': { protocol: requiredOneOf('TCP', 'UDP', 'SCTP'), '': policyPort },
  'networking.v1.IPAddressSpec': { parentRef: required() },
  'networking.v1.ParentReference': { '': parent },
  'networking.v1.ServiceCIDRSpec': { cidrs },
};
