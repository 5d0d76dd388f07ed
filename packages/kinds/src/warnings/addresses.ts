import { isIPv4, isIPv6 } from 'node:net';
import { canonicalAddress } from '../entries/service-claims.ts';
import { withoutZeros } from '../validation/checks.ts';
import type { Place } from '../validation/place.ts';
import { type Tell, tellOf } from './warn.ts';

/** An address that is taken although nobody else would write it so. */
export function warnOfAddress(place: Place, tell: Tell): void {
  const { text } = place;
  const usual = usualAddress(text);
  if (usual === undefined || usual === text) return;
  if (isStrange(text)) {
    const words = `non-standard IP address ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release`;
    tellOf(place, tell, `${words}: use ${JSON.stringify(usual)}`);
  } else {
    const words = `IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format`;
    tellOf(place, tell, `${words} (${JSON.stringify(usual)})`);
  }
}

/** The same of a network, and where it names one address in it. */
export function warnOfNetwork(place: Place, tell: Tell): void {
  const { text } = place;
  const [, host = '', digits = ''] = /^(.*)\/(\d+)$/.exec(text) ?? [];
  const address = usualAddress(host);
  if (address === undefined) return;
  const mapped = isMapped(host);
  const bits = Number(digits) - (mapped ? 96 : 0);
  const network = `${firstOf(address, bits)}/${bits}`;
  const isAmbiguous = network !== `${address}/${bits}`;
  if (isAmbiguous) {
    const single = `${address}/${isIPv4(address) ? 32 : 128}`;
    const should = `should be ${JSON.stringify(network)} or ${JSON.stringify(single)}?`;
    tellOf(place, tell, `CIDR value ${JSON.stringify(text)} is ambiguous in this context (${should})`);
  }
  if (isStrange(host) || /^0\d/.test(digits)) {
    const words = `non-standard CIDR value ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release`;
    tellOf(place, tell, `${words}: use ${JSON.stringify(network)}`);
  } else if (!isAmbiguous && isIPv6(address) && `${address}/${bits}` !== text) {
    const words = `IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format`;
    tellOf(place, tell, `${words} (${JSON.stringify(network)})`);
  }
}

/** With zeros in front of its numbers, or IPv4 in the clothes of IPv6. */
function isStrange(text: string): boolean {
  return !(isIPv4(text) || isIPv6(text)) || isMapped(text);
}

function isMapped(text: string): boolean {
  return isIPv6(text) && /^::ffff:[0-9a-f]+:[0-9a-f]+$/.test(canonicalAddress(text));
}

/** As everybody writes it; undefined where it is no address at all. */
function usualAddress(text: string): string | undefined {
  const plain = withoutZeros(text);
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return undefined;
  const address = canonicalAddress(plain);
  if (!isMapped(plain)) return address;
  const [high = 0, low = 0] = address
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The address with which its network begins. */
function firstOf(address: string, bits: number): string {
  const wide = isIPv4(address) ? 32 : 128;
  const mask = ((1n << BigInt(bits)) - 1n) << BigInt(wide - bits);
  const number = numberOf(address) & mask;
  if (wide === 32) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  return canonicalAddress(groups.join(':'));
}

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0n);
  return [...left, ...zeros, ...right].reduce((sum, group) => sum * 65536n + group, 0n);
}

function groupsOf(text: string): bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));
}
