import { isIP, SocketAddress } from 'node:net';
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

/** IPv6 as everybody writes it: without leading zeros, the longest run of them left out. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const { address: text } = new SocketAddress({ address, family: 'ipv6' });
  const mapped = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (mapped === null) return text;
  const [, head, a, b, c, d] = mapped;
  const group = (high = '0', low = '0') => (Number(high) * 256 + Number(low)).toString(16);
  return `${head}${group(a, b)}:${group(c, d)}`;
}
