import { opaqueType } from '../types/type.ts';
import { Failure } from '../values/failure.ts';
import { OpaqueValue } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const ADDRESS = opaqueType('net.IP');
const RANGE = opaqueType('net.CIDR');

/** An address as a number, and how many bits such addresses have. */
class Address extends OpaqueValue {
  override readonly type = ADDRESS;
  readonly number: bigint;
  readonly bits: 32 | 128;

  constructor(number: bigint, bits: 32 | 128) {
    super();
    this.number = number;
    this.bits = bits;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof Address && other.bits === this.bits && other.number === this.number;
  }

  /** the first bits of it */
  head(count: number): bigint {
    return this.number >> BigInt(this.bits - count);
  }

  override toString(): string {
    return this.bits === 32 ? dotted(this.number) : compressed(this.number);
  }
}

class AddressRange extends OpaqueValue {
  override readonly type = RANGE;
  readonly address: Address;
  readonly length: number;

  constructor(address: Address, length: number) {
    super();
    this.address = address;
    this.length = length;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof AddressRange && other.length === this.length && other.address.equals(this.address);
  }

  contains(address: Address): boolean {
    return address.bits === this.address.bits && address.head(this.length) === this.address.head(this.length);
  }

  override toString(): string {
    return `${this.address}/${this.length}`;
  }
}

function dotted(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

/** The longest run of zeros is left out, the first of several. */
function compressed(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((number >> BigInt((7 - i) * 16)) & 0xffffn).toString(16));
  let [best, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (groups[end] === '0') end++;
    if (end - i > length) [best, length] = [i, end - i];
  }
  if (best < 0) return groups.join(':');
  return `${groups.slice(0, best).join(':')}::${groups.slice(best + length).join(':')}`;
}

function readDotted(text: string): bigint | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  return parts.some((part) => part > 255) ? undefined : parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function readGroups(text: string): bigint | undefined {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const last = tail === null ? undefined : readDotted(tail[2] ?? '');
  if (tail !== null && last === undefined) return undefined;
  const hex = last === undefined ? text : `${tail?.[1]}${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}`;
  const halves = hex.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], rest = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - rest.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...rest];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

function readAddress(text: string): Address | undefined {
  const number = text.includes(':') ? readGroups(text) : readDotted(text);
  return number === undefined ? undefined : new Address(number, text.includes(':') ? 128 : 32);
}

/** An IPv4 address in the clothes of IPv6. */
const isMapped = ({ bits, number }: Address): boolean => bits === 128 && number >> 32n === 0xffffn;

function address(text: string): Address {
  const quoted = JSON.stringify(text);
  if (text.includes('%')) throw new Failure(`IP address ${quoted} with zone value is not allowed`);
  const found = readAddress(text);
  if (found === undefined) {
    throw new Failure(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
    );
  }
  if (isMapped(found)) throw new Failure(`IPv4-mapped IPv6 address ${quoted} is not allowed`);
  return found;
}

const UNREADABLE = 'network address parse error during conversion from string';

function addressRange(text: string): AddressRange {
  const match = /^([^/%]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const found = readAddress(match?.[1] ?? '');
  const length = Number(match?.[2]);
  if (found === undefined || length > found.bits) {
    const quoted = JSON.stringify(text);
    const why = `netip.ParsePrefix(${quoted}): ${text.includes('/') ? 'bad address or length' : "no '/'"}`;
    throw new Failure(`${UNREADABLE}: ${UNREADABLE}: ${why}`);
  }
  if (isMapped(found)) throw new Failure(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new AddressRange(found, length);
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

function masked([
  {
    address: { number, bits },
    length,
  },
]: [AddressRange]): AddressRange {
  const rest = BigInt(bits - length);
  return new AddressRange(new Address((number >> rest) << rest, bits), length);
}

const isLoopback = (one: Address) => (one.bits === 32 ? one.head(8) === 127n : one.number === 1n);
const isLinkLocal = (one: Address) => (one.bits === 32 ? one.head(16) === 0xa9fen : one.head(10) === 0x3fan);
const isLocalMulticast = (one: Address) => (one.bits === 32 ? one.head(24) === 0xe00000n : one.head(16) === 0xff02n);
const isMulticast = (one: Address) => (one.bits === 32 ? one.head(4) === 0xen : one.head(8) === 0xffn);
const isBroadcast = (one: Address) => one.bits === 32 && one.number === 0xffffffffn;
const isGlobal = (one: Address) =>
  one.number !== 0n && !isBroadcast(one) && !isLoopback(one) && !isMulticast(one) && !isLinkLocal(one);

function judged(id: string, name: string, holds: (one: Address) => boolean): Overload {
  return overload(`ip_${id}`, `net.IP::${name}(): bool`, ([one]: [Address]) => holds(one));
}

export const addresses: readonly Overload[] = [
  overload('string_to_ip', 'ip(string): net.IP', ([text]: [string]) => address(text)),
  overload('cidr_ip', 'net.CIDR::ip(): net.IP', ([range]: [AddressRange]) => range.address),
  overload('is_ip', 'isIP(string): bool', succeeds(address)),
  overload('ip_is_canonical', 'ip.isCanonical(string): bool', ([text]: [string]) => address(text).toString() === text),
  overload('ip_family', 'net.IP::family(): int', ([one]: [Address]) => (one.bits === 32 ? 4n : 6n)),
  overload('ip_to_string', 'string(net.IP): string', ([one]: [Address]) => one.toString()),
  judged('is_unspecified', 'isUnspecified', ({ number }) => number === 0n),
  judged('is_loopback', 'isLoopback', isLoopback),
  judged('is_link_local_multicast', 'isLinkLocalMulticast', isLocalMulticast),
  judged('is_link_local_unicast', 'isLinkLocalUnicast', isLinkLocal),
  judged('is_global_unicast', 'isGlobalUnicast', isGlobal),
  overload('string_to_cidr', 'cidr(string): net.CIDR', ([text]: [string]) => addressRange(text)),
  overload('is_cidr', 'isCIDR(string): bool', succeeds(addressRange)),
  overload('cidr_to_string', 'string(net.CIDR): string', ([range]: [AddressRange]) => range.toString()),
  overload('cidr_prefix_length', 'net.CIDR::prefixLength(): int', ([range]: [AddressRange]) => BigInt(range.length)),
  overload('cidr_masked', 'net.CIDR::masked(): net.CIDR', masked),
  overload('cidr_contains_ip_string', 'net.CIDR::containsIP(string): bool', ([range, text]: [AddressRange, string]) =>
    range.contains(address(text)),
  ),
  overload('cidr_contains_ip_ip', 'net.CIDR::containsIP(net.IP): bool', ([range, one]: [AddressRange, Address]) =>
    range.contains(one),
  ),
  overload('cidr_contains_cidr_string', 'net.CIDR::containsCIDR(string): bool', ([a, b]: [AddressRange, string]) =>
    isWithin(addressRange(b), a),
  ),
  overload('cidr_contains_cidr', 'net.CIDR::containsCIDR(net.CIDR): bool', ([a, b]: [AddressRange, AddressRange]) =>
    isWithin(b, a),
  ),
];

function isWithin(inner: AddressRange, outer: AddressRange): boolean {
  return outer.contains(inner.address) && outer.length <= inner.length;
}
