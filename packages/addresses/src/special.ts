import { Address } from './address.ts';
import { type Network, parseNetwork } from './network.ts';

/** Why an address is not one of a pod, a node or a service elsewhere. */
export type Special =
  | 'unspecified'
  | 'this network'
  | 'loopback'
  | 'link-local'
  | 'link-local multicast'
  | 'multicast'
  | 'broadcast'
  | 'cloud metadata'
  | 'translated by a rule that is not known';

/**
 * The one table of addresses that must not be a way from outside to what is beside this process. An address may stand in
 * several rows. Clouds tell the credentials of a machine to whoever asks from it, most of them at a link-local address,
 * some at those that stand here.
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
  ['translated by a rule that is not known', '64:ff9b:1::/48'],
];

const ROWS = TABLE.flatMap(([special, ...networks]) => networks.map((text) => ({ special, network: network(text) })));

/** Every reason that holds for the address as it is; for what it carries, ask again with that. */
export function specialsOf(address: Address): ReadonlySet<Special> {
  return new Set(ROWS.filter((row) => row.network.contains(address)).map(({ special }) => special));
}

export function isSpecial(address: Address): boolean {
  return ROWS.some((row) => row.network.contains(address));
}

/** Forms of IPv6 that a host or a router turns into a packet to an IPv4 address, and where in them that address stands. */
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

/** The IPv4 address to which packets for an IPv6 address may go; undefined where there is none. */
export function carriedBy(address: Address): Address | undefined {
  // these two are addresses of their own, and no IPv4 address in 96 zeros
  if (address.bits === 32 || address.number <= 1n) return undefined;
  const found = CARRIERS.find(([form]) => form.contains(address));
  return found === undefined ? undefined : new Address(found[1](address.number), 32);
}

const MAPPED = network('::ffff:0:0/96');

/** As Kubernetes judges addresses in objects: a mapped address (`::ffff:127.0.0.1`) is the IPv4 address. */
export function unmapped(address: Address): Address {
  return MAPPED.contains(address) ? new Address(address.number & 0xffffffffn, 32) : address;
}

function network(text: string): Network {
  const found = parseNetwork(text);
  if (found === undefined) throw new TypeError(`${text} is no network`);
  return found;
}
