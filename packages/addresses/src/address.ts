/** An IP address as a number. Text with a zone (`fe80::1%eth0`) is not accepted as an address. */
export class Address {
  readonly number: bigint;
  readonly bits: 32 | 128;

  constructor(number: bigint, bits: 32 | 128) {
    this.number = number;
    this.bits = bits;
  }

  get family(): 'IPv4' | 'IPv6' {
    return this.bits === 32 ? 'IPv4' : 'IPv6';
  }

  equals(other: Address): boolean {
    return other.bits === this.bits && other.number === this.number;
  }

  /** The canonical text (RFC 5952). All groups of IPv6 are hexadecimal, also the last two: `::ffff:7f00:1`. */
  toString(): string {
    return this.bits === 32 ? dotted(this.number) : compressed(this.number);
  }
}

/** Parses an address strictly: no leading zeros, no zone, no short forms such as `127.1`. */
export function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) {
    const number = readDotted(text);
    return number === undefined ? undefined : new Address(number, 32);
  }
  const number = readGroups(text);
  return number === undefined ? undefined : new Address(number, 128);
}

/** Accepts leading zeros in decimal numbers, as Kubernetes does in objects: `010.0.0.1` is 10.0.0.1. */
export function parseLenientAddress(text: string): Address | undefined {
  // the pattern below takes quadratic time on a long row of digits
  if (text.length > MAX_LENIENT_LENGTH) return undefined;
  return parseAddress(text.replace(DOTTED_TAIL, (tail) => tail.replace(/(^|\.)0+(?=\d)/g, '$1')));
}

const DOTTED_TAIL = /\d+\.\d+\.\d+\.\d+$/;
const DOTTED = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/;
/** the length of the longest address text */
const MAX_LENGTH = 45;
/** the same with some leading zeros */
const MAX_LENIENT_LENGTH = 100;

function readDotted(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH || !DOTTED.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  return parts.some((part) => part > 255) ? undefined : parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function readGroups(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH) return undefined;
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

function dotted(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

/** Replaces the longest run of zeros by `::`, the first one if several are equally long. */
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
