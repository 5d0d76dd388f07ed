import { parseAddress, parseLenientAddress, unmapped } from '@tidegate/addresses';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { address } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check } from '../rules/type-rules.ts';

/** The values that no two Services may share: cluster IPs and node ports. */
export function serviceClaims(service: JsonObject): string[] {
  const spec = isJsonObject(service.spec) ? service.spec : {};
  const addresses = Array.isArray(spec.clusterIPs) ? spec.clusterIPs : [];
  const ports = Array.isArray(spec.ports) ? spec.ports.filter(isJsonObject) : [];
  const numbers = [...ports.map(({ nodePort }) => nodePort), spec.healthCheckNodePort];
  const claims = [
    ...addresses
      .filter((address) => address !== '' && address !== 'None')
      .map((address) => `clusterip/${canonicalAddress(String(address))}`),
    ...numbers.filter((number) => Number(number) > 0).map((number) => `nodeport/${number}`),
  ];
  return [...new Set(claims)];
}

/** The canonical form of an address: IPv6 without leading zeros, the longest run of zeros left out. */
export function canonicalAddress(address: string): string {
  return parseAddress(address)?.toString() ?? address;
}

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Checks the addresses of a service and their families. */
export const addresses: Check = (spec) => {
  const type = spec.field('type').text;
  const all = spec.field('clusterIPs');
  if (type === 'ExternalName') {
    for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
      const field = spec.field(name);
      if (name === 'ipFamilyPolicy' ? field.value !== undefined : !field.isEmpty) {
        field.forbidden('may not be set for ExternalName services');
      }
    }
    return;
  }
  const [first] = all.items();
  if (first?.text === 'None' && (type === 'NodePort' || type === 'LoadBalancer')) {
    first.invalid(`may not be set to 'None' for ${type} services`);
  }
  if (first !== undefined) firstOf(spec.field('clusterIP').text, all, first);
  families(spec);
  eachAddress(all, spec.field('ipFamilies'));
};

function firstOf(single: string, all: Place, first: Place): void {
  if (single === '') all.invalid('must be empty when `clusterIP` is not specified');
  else if (first.text !== single) all.invalid('first value must match `clusterIP`');
}

function families(spec: Place): void {
  const seen = new Set<string>();
  for (const family of spec.field('ipFamilies').items()) {
    if (!FAMILIES.includes(family.text)) family.unsupported(FAMILIES, family.text);
    if (seen.has(family.text)) family.duplicate(family.text);
    seen.add(family.text);
  }
  const policy = spec.field('ipFamilyPolicy');
  if (policy.value !== undefined && !POLICIES.includes(policy.text)) policy.unsupported(POLICIES, policy.text);
}

function eachAddress(all: Place, chosen: Place): void {
  const before = all.errorCount;
  const items = all.items();
  const headless = items[0]?.text === 'None';
  if (headless && items.length > 1) all.invalid("'None' must be the first and only value");
  for (const one of headless ? items.slice(1) : items) address(one);
  if (items.length > 2) all.invalid('may only hold up to 2 values');
  if (all.errorCount > before || headless) return;
  const [one, other] = items.map((item) => familyOf(item.text));
  if (other !== undefined && one === other) all.invalid('may specify no more than one IP for each IP family');
  for (const [index, family] of chosen.list.entries()) {
    const item = items[index];
    if (item === undefined || familyOf(item.text) === family) continue;
    if (FAMILIES.includes(String(family))) {
      item.invalid(`expected an ${family} value as indicated by \`ipFamilies[${index}]\``);
    }
  }
}

function familyOf(text: string): string {
  const address = parseLenientAddress(text);
  return address === undefined ? '' : unmapped(address).family;
}
