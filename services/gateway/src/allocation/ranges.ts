import { randomInt } from 'node:crypto';
import { Address, parseAddress, parseNetwork } from '@tidegate/addresses';
import { OptionError } from '@tidegate/options';

export type Family = 'IPv4' | 'IPv6';

/** The number of addresses that are allocated from a range; IPv6 ranges are larger. */
const MAX_SIZE = 2 ** 24;

/**
 * The cluster IPs of one family, by their offset from the network address. The first belongs to the Service
 * `kubernetes`; the next few are reserved for static requests and allocated dynamically last.
 */
export class AddressRange {
  readonly family: Family;
  readonly text: string;
  readonly size: number;
  /** allocated last */
  readonly reserved: number;
  readonly #base: bigint;
  readonly #addresses: bigint;

  constructor(cidr: string) {
    const network = parseNetwork(cidr);
    const bits = network?.address.bits;
    const [shortest, longest] = bits === 32 ? [8, 30] : [64, 126];
    if (network === undefined || bits === undefined || network.length < shortest || network.length > longest) {
      throw new OptionError(
        `--service-cluster-ip-range takes ranges as 10.0.0.0/16 with /8 to /30, or fd00::/108 with /64 to /126, not ${cidr}`,
      );
    }
    this.family = network.address.family;
    const { first } = network;
    this.#addresses = 1n << BigInt(bits - network.length);
    this.#base = first.number;
    this.text = `${first}/${network.length}`;
    // without the network address and the broadcast address
    const usable = this.#addresses - (bits === 32 ? 2n : 1n);
    this.size = usable > BigInt(MAX_SIZE) ? MAX_SIZE : Number(usable);
    this.reserved = this.size < 16 ? 0 : Math.min(256, Math.max(16, Math.floor(this.size / 16)));
  }

  at(place: number): string {
    return new Address(this.#base + 1n + BigInt(place), this.family === 'IPv4' ? 32 : 128).toString();
  }

  /** Whether the range contains an address, usable or not. */
  contains(address: string): boolean {
    const offset = this.#offsetOf(address);
    return offset !== undefined && offset >= 0n && offset < this.#addresses;
  }

  isUsable(address: string): boolean {
    const offset = this.#offsetOf(address);
    return offset !== undefined && offset >= 1n && (this.family === 'IPv6' || offset < this.#addresses - 1n);
  }

  /** undefined: an address of another family, or an invalid one */
  #offsetOf(text: string): bigint | undefined {
    const address = parseAddress(text);
    return address?.family === this.family ? address.number - this.#base : undefined;
  }
}

/**
 * A random free offset, first above the reserved ones and then among them; undefined when all are taken. It is random,
 * so that simultaneous requests rarely choose the same.
 */
export function drawPlace(size: number, reserved: number, isTaken: (place: number) => boolean): number | undefined {
  return drawWithin(reserved, size, isTaken) ?? drawWithin(0, reserved, isTaken);
}

function drawWithin(from: number, to: number, isTaken: (place: number) => boolean): number | undefined {
  if (to <= from) return undefined;
  const start = randomInt(from, to);
  for (let i = 0; i < to - from; i++) {
    const place = from + ((start - from + i) % (to - from));
    if (!isTaken(place)) return place;
  }
  return undefined;
}

/** The range of node ports. */
export class PortRange {
  readonly first: number;
  readonly size: number;
  /** allocated last */
  readonly reserved: number;

  constructor(range: string) {
    const [from = '', to = ''] = range.split('-');
    const [first, last] = [Number(from), Number(to)];
    if (!/^\d+$/.test(from) || !/^\d+$/.test(to) || first < 1 || last > 65535 || first > last) {
      throw new OptionError(`--service-node-port-range takes two ports as 30000-32767, not ${range}`);
    }
    this.first = first;
    this.size = last - first + 1;
    this.reserved = this.size <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(this.size / 32)));
  }

  get text(): string {
    return `${this.first}-${this.first + this.size - 1}`;
  }

  contains(port: number): boolean {
    return port >= this.first && port < this.first + this.size;
  }
}
