import { parseAddress } from '@tidegate/addresses';
import { isJsonObject, type JsonObject } from '@tidegate/schema';

/** What no two Services may have: their cluster IPs, and the ports that they take on every node. */
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

/** An address as everybody writes it: IPv6 without leading zeros, the longest run of them left out. */
export function canonicalAddress(address: string): string {
  return parseAddress(address)?.toString() ?? address;
}
