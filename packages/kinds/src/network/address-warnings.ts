import { Network, parseAddress, parseLenientAddress, parseLenientNetwork, unmapped } from '@tidegate/addresses';
import type { Place } from '../rules/place.ts';
import { type Tell, tellOf } from '../rules/warnings.ts';

/** An address that is taken although nobody else would write it so. */
export function warnOfAddress(place: Place, tell: Tell): void {
  const { text } = place;
  const found = parseLenientAddress(text);
  const usual = found && unmapped(found).toString();
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
  const found = usualNetwork(text);
  if (found === undefined) return;
  const [host = '', digits = ''] = text.split('/');
  const network = `${found.first}/${found.length}`;
  const isAmbiguous = network !== found.toString();
  if (isAmbiguous) {
    const single = `${found.address}/${found.address.bits}`;
    const should = `should be ${JSON.stringify(network)} or ${JSON.stringify(single)}?`;
    tellOf(place, tell, `CIDR value ${JSON.stringify(text)} is ambiguous in this context (${should})`);
  }
  if (isStrange(host) || /^0\d/.test(digits)) {
    const words = `non-standard CIDR value ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release`;
    tellOf(place, tell, `${words}: use ${JSON.stringify(network)}`);
  } else if (!isAmbiguous && found.address.bits === 128 && found.toString() !== text) {
    const words = `IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format`;
    tellOf(place, tell, `${words} (${JSON.stringify(network)})`);
  }
}

/** With zeros in front of its numbers, or IPv4 in the form of IPv6. */
function isStrange(text: string): boolean {
  const found = parseAddress(text);
  return found === undefined || unmapped(found) !== found;
}

/** A mapped network is one of IPv4, where it is no larger than all of IPv4. */
function usualNetwork(text: string): Network | undefined {
  const found = parseLenientNetwork(text);
  if (found === undefined) return undefined;
  const address = unmapped(found.address);
  const length = found.length - (found.address.bits - address.bits);
  return length < 0 ? undefined : new Network(address, length);
}
