import { randomInt } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { canonicalAddress } from '@tidegate/kinds';
import { OptionError } from '@tidegate/options';

export type Family = 'IPv4' | 'IPv6';

/** As many as one draws from; an IPv6 range is larger than anybody needs. */
const MOST = 2 ** 24;

/**
 * The cluster IPs of one family, by their place after the network's address: the first is the Service kubernetes', the
 * next few are kept for those who ask for one by name as long as there are others.
 */
export class AddressRange {
  readonly family: Family;
  readonly text: string;
  readonly size: number;
  /** drawn last */
  readonly kept: number;
  readonly #base: bigint;
  readonly #addresses: bigint;

  constructor(cidr: string) {
    const [address = '', length = ''] = cidr.split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const prefix = Number(length);
    const [shortest, longest] = bits === 32 ? [8, 30] : [64, 126];
    if (isIP(address) === 0 || !/^\d+$/.test(length) || prefix < shortest || prefix > longest) {
      throw new OptionError(
        `--service-cluster-ip-range takes ranges as 10.0.0.0/16 with /8 to /30, or fd00::/108 with /64 to /126, not ${cidr}`,
      );
    }
    this.family = bits === 32 ? 'IPv4' : 'IPv6';
    const host = BigInt(bits - prefix);
    this.#addresses = 1n << host;
    this.#base = (toNumber(address) >> host) << host;
    this.text = `${toText(this.#base, this.family)}/${prefix}`;
    // without the network's address, and the broadcast address
    const usable = this.#addresses - (bits === 32 ? 2n : 1n);
    this.size = usable > BigInt(MOST) ? MOST : Number(usable);
    this.kept = this.size < 16 ? 0 : Math.min(256, Math.max(16, Math.floor(this.size / 16)));
  }

  at(place: number): string {
    return toText(this.#base + 1n + BigInt(place), this.family);
  }

  /** In it, be it for use or not. */
  contains(address: string): boolean {
    if (isIPv4(address) !== (this.family === 'IPv4')) return false;
    const offset = toNumber(address) - this.#base;
    return offset >= 0n && offset < this.#addresses;
  }

  isUsable(address: string): boolean {
    const offset = toNumber(address) - this.#base;
    return offset >= 1n && (this.family === 'IPv6' || offset < this.#addresses - 1n);
  }
}

/**
 * A place that nobody is known to have: anywhere above those that are kept, then among those; undefined when all are
 * taken. Two who draw at the same moment rarely draw the same.
 */
export function drawPlace(size: number, kept: number, isTaken: (place: number) => boolean): number | undefined {
  return drawWithin(kept, size, isTaken) ?? drawWithin(0, kept, isTaken);
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

function toNumber(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail = ''] = canonicalAddress(address).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  return [...groups(head), ...missing, ...groups(tail)].reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

function toText(number: bigint, family: Family): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  return canonicalAddress(groups.join(':'));
}
