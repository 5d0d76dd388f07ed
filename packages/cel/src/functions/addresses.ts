import {
  type Address,
  Network,
  parseAddress,
  parseNetwork,
  type Special,
  specialsOf,
  unmapped,
} from '@tidegate/addresses';
import { opaqueType } from '../types/type.ts';
import { Failure } from '../values/failure.ts';
import { OpaqueValue } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const ADDRESS = opaqueType('net.IP');
const RANGE = opaqueType('net.CIDR');

class AddressValue extends OpaqueValue {
  override readonly type = ADDRESS;
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof AddressValue && other.address.equals(this.address);
  }

  override toString(): string {
    return this.address.toString();
  }
}

class NetworkValue extends OpaqueValue {
  override readonly type = RANGE;
  readonly network: Network;

  constructor(network: Network) {
    super();
    this.network = network;
  }

  override equals(other: OpaqueValue): boolean {
    if (!(other instanceof NetworkValue)) return false;
    return other.network.length === this.network.length && other.network.address.equals(this.network.address);
  }

  override toString(): string {
    return this.network.toString();
  }
}

const isMapped = (address: Address): boolean => unmapped(address) !== address;

function address(text: string): AddressValue {
  const quoted = JSON.stringify(text);
  if (text.includes('%')) throw new Failure(`IP address ${quoted} with zone value is not allowed`);
  const found = parseAddress(text);
  if (found === undefined) {
    throw new Failure(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
    );
  }
  if (isMapped(found)) throw new Failure(`IPv4-mapped IPv6 address ${quoted} is not allowed`);
  return new AddressValue(found);
}

const UNREADABLE = 'network address parse error during conversion from string';

function network(text: string): NetworkValue {
  const found = parseNetwork(text);
  const quoted = JSON.stringify(text);
  if (found === undefined) {
    const why = `netip.ParsePrefix(${quoted}): ${text.includes('/') ? 'bad address or length' : "no '/'"}`;
    throw new Failure(`${UNREADABLE}: ${UNREADABLE}: ${why}`);
  }
  if (isMapped(found.address)) throw new Failure(`IPv4-mapped IPv6 address ${quoted} is not allowed`);
  return new NetworkValue(found);
}

function succeeds(read: (text: string) => unknown) {
  return ([text]: [string]): boolean => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  };
}

const isGlobal = (one: Address) => !GLOBAL_EXCEPT.some((special) => specialsOf(one).has(special));
const GLOBAL_EXCEPT = ['unspecified', 'broadcast', 'loopback', 'multicast', 'link-local'] as const;

function predicate(id: string, name: string, holds: (one: Address) => boolean): Overload {
  return overload(`ip_${id}`, `net.IP::${name}(): bool`, ([one]: [AddressValue]) => holds(one.address));
}

function specially(id: string, name: string, special: Special): Overload {
  return predicate(id, name, (one) => specialsOf(one).has(special));
}

export const addresses: readonly Overload[] = [
  overload('string_to_ip', 'ip(string): net.IP', ([text]: [string]) => address(text)),
  overload('cidr_ip', 'net.CIDR::ip(): net.IP', ([range]: [NetworkValue]) => new AddressValue(range.network.address)),
  overload('is_ip', 'isIP(string): bool', succeeds(address)),
  overload('ip_is_canonical', 'ip.isCanonical(string): bool', ([text]: [string]) => address(text).toString() === text),
  overload('ip_family', 'net.IP::family(): int', ([one]: [AddressValue]) => (one.address.bits === 32 ? 4n : 6n)),
  overload('ip_to_string', 'string(net.IP): string', ([one]: [AddressValue]) => one.toString()),
  specially('is_unspecified', 'isUnspecified', 'unspecified'),
  specially('is_loopback', 'isLoopback', 'loopback'),
  specially('is_link_local_multicast', 'isLinkLocalMulticast', 'link-local multicast'),
  specially('is_link_local_unicast', 'isLinkLocalUnicast', 'link-local'),
  predicate('is_global_unicast', 'isGlobalUnicast', isGlobal),
  overload('string_to_cidr', 'cidr(string): net.CIDR', ([text]: [string]) => network(text)),
  overload('is_cidr', 'isCIDR(string): bool', succeeds(network)),
  overload('cidr_to_string', 'string(net.CIDR): string', ([range]: [NetworkValue]) => range.toString()),
  overload('cidr_prefix_length', 'net.CIDR::prefixLength(): int', ([range]: [NetworkValue]) =>
    BigInt(range.network.length),
  ),
  overload(
    'cidr_masked',
    'net.CIDR::masked(): net.CIDR',
    ([range]: [NetworkValue]) => new NetworkValue(new Network(range.network.first, range.network.length)),
  ),
  overload('cidr_contains_ip_string', 'net.CIDR::containsIP(string): bool', ([range, text]: [NetworkValue, string]) =>
    range.network.contains(address(text).address),
  ),
  overload('cidr_contains_ip_ip', 'net.CIDR::containsIP(net.IP): bool', ([range, one]: [NetworkValue, AddressValue]) =>
    range.network.contains(one.address),
  ),
  overload('cidr_contains_cidr_string', 'net.CIDR::containsCIDR(string): bool', ([a, b]: [NetworkValue, string]) =>
    a.network.covers(network(b).network),
  ),
  overload('cidr_contains_cidr', 'net.CIDR::containsCIDR(net.CIDR): bool', ([a, b]: [NetworkValue, NetworkValue]) =>
    a.network.covers(b.network),
  ),
];
