import { parseLenientAddress, unmapped } from '@tidegate/addresses';
import { labelKeyProblems, labelProblems, labelValueProblems, subdomainProblems } from '../objects/names.ts';
import { address, label, named, requiredOneOf } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';
import { notSpecialAddress } from './validation.ts';

const FAMILIES = ['FQDN', 'IPv4', 'IPv6'];
const slice: Check = (object) => {
  const type = object.field('addressType');
  if (type.text === '') type.required();
  else if (!FAMILIES.includes(type.text)) type.unsupported(FAMILIES);
  for (const endpoint of object.field('endpoints').items()) endpointAddresses(endpoint.field('addresses'), type.text);
  const names = new Set<string>();
  for (const one of object.field('ports').items()) {
    const name = one.field('name');
    if (names.has(name.text)) name.duplicate(name.text);
    names.add(name.text);
  }
};

function domain(place: Place): void {
  const problems = subdomainProblems(place.text);
  place.invalidFor(problems);
  if (problems.length === 0 && !place.text.includes('.')) {
    place.invalid('should be a domain with at least two segments separated by dots');
  }
}

function endpointAddresses(list: Place, type: string): void {
  if (list.isEmpty) list.required('must contain at least 1 address');
  for (const one of list.items()) {
    const before = one.errorCount;
    if (type === 'FQDN' && one.text === '') one.required();
    else if (type === 'FQDN') domain(one);
    else if (/^IPv[46]$/.test(type)) address(one);
    if (one.errorCount > before || type === 'FQDN') continue;
    if (/^IPv[46]$/.test(type) && familyOf(one.text) !== type) {
      list.invalid(`must be an ${type} address`, one.value);
    } else notSpecialAddress(one);
  }
}

/** A mapped address (`::ffff:10.0.0.1`) is one of IPv4, as in Kubernetes. */
function familyOf(text: string): string | undefined {
  const address = parseLenientAddress(text);
  return address && unmapped(address).family;
}

const MAX_HINTS = 8;

/** Checks the names of zones or nodes: each may occur once. */
function hints(problems: (name: string) => readonly string[]): Check {
  return (list) => {
    if (list.list.length > MAX_HINTS) {
      list.atMost(MAX_HINTS);
      return;
    }
    const seen = new Set<string>();
    for (const one of list.items()) {
      const name = one.field('name');
      if (seen.has(name.text)) name.duplicate(name.text);
      seen.add(name.text);
      name.invalidFor(problems(name.text), name.text);
    }
  };
}
const hintZones = hints(labelValueProblems);
const hintNodes = hints(subdomainProblems);

export const endpointSliceChecks: RuleTable = {
  'discovery.v1.EndpointSlice': { '': slice },
  'discovery.v1.Endpoint': { hostname: named(labelProblems), nodeName: named(subdomainProblems) },
  'discovery.v1.EndpointHints': { forZones: hintZones, forNodes: hintNodes },
  'discovery.v1.EndpointPort': {
    name: label,
    protocol: requiredOneOf('SCTP', 'TCP', 'UDP'),
    appProtocol: (place) => place.invalidFor(labelKeyProblems(place.text)),
  },
};
