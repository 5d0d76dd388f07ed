import { Address } from './address.ts';
import { type Network, parseNetwork } from './network.ts';

/** Why an address cannot be that of a pod, a node or a service on another machine. */
export type Special =
  | 'unspecified'
  | 'this network'
  | 'loopback'
  | 'link-local'
  | 'link-local multicast'
  | 'multicast'
  | 'broadcast'
  | 'cloud metadata'
  | 'local-use translation';

/**
 * The one table of special addresses. Requests from outside must not be forwarded to them: they lead to this machine,
 * its links, or its cloud's metadata service. An address may be in several rows. Metadata services return the
 * credentials of a machine to every client on it; most of them have a link-local address, the others are listed here.
 */
const TABLE: ReadonlyArray<readonly [special: Special, ...networks: string[]]> = [
  ['unspecified', '0.0.0.0/32', '::/128'],
  ['this network', '0.0.0.0/8'],
  ['loopback', '127.0.0.0/8', '::1/128'],
  ['link-local', '169.254.0.0/16', 'fe80::/10'],
  ['link-local multicast', '224.0.0.0/24', ...[...'0123456789abcdef'].map((flags) => `ff${flags}2::/16`)],
  ['multicast', '224.0.0.0/4', 'ff00::/8'],
  ['broadcast', '255.255.255.255/32'],
  ['cloud metadata', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ['cloud metadata', 'fd00:ec2::/112', 'fd20:ce::254/128', 'fd00:42::42/128'],
  ['local-use translation', '64:ff9b:1::/48'],
];

const ROWS = TABLE.flatMap(([special, ...networks]) => networks.map((text) => ({ special, network: network(text) })));

/** All reasons for this address. For the IPv4 address inside it, call again with `carriedBy(address)`. */
export function specialsOf(address: Address): ReadonlySet<Special> {
  return new Set(ROWS.filter((row) => row.network.contains(address)).map(({ special }) => special));
}

export function isSpecial(address: Address): boolean {
  return ROWS.some((row) => row.network.contains(address));
}

/** The forms of IPv6 address that hosts or routers translate to an IPv4 address, and its position in them. */
const CARRIERS: ReadonlyArray<readonly [network: Network, inner: (number: bigint) => bigint]> = [
  // mapped, compatible, translated (SIIT), NAT64
  ...['::ffff:0:0/96', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map(
    (text) => [network(text), (number: bigint) => number & 0xffffffffn] as const,
  ),
  // 6to4
  [network('2002::/16'), (number) => (number >> 80n) & 0xffffffffn],
  // Teredo, which inverts the bits
  [network('2001::/32'), (number) => ~number & 0xffffffffn],
];

/** The IPv4 address to which packets for this IPv6 address may be sent, if there is one. */
export function carriedBy(address: Address): Address | undefined {
  // `::` and `::1` are ordinary addresses, although they begin with 96 zeros like the compatible form
  if (address.bits === 32 || address.number <= 1n) return undefined;
  const found = CARRIERS.find(([form]) => form.contains(address));
  return found === undefined ? undefined : new Address(found[1](address.number), 32);
}

const MAPPED = network('::ffff:0:0/96');

/** A mapped address (`::ffff:127.0.0.1`) as its IPv4 address, as Kubernetes treats addresses in objects. */
export function unmapped(address: Address): Address {
  return MAPPED.contains(address) ? new Address(address.number & 0xffffffffn, 32) : address;
}

function network(text: string): Network {
  const found = parseNetwork(text);
  if (found === undefined) throw new TypeError(`${text} is not a network`);
  return found;
}
