import { Network, parseAddress, parseLenientAddress, parseLenientNetwork, unmapped } from '@tidegate/addresses';
import type { Place } from '../rules/place.ts';
import { type AddWarning, warnAt } from '../rules/warnings.ts';

/** Warns of an address that is valid, but not in its usual form. */
export function warnOfAddress(place: Place, warn: AddWarning): void {
  const { text } = place;
  const found = parseLenientAddress(text);
  const usual = found && unmapped(found).toString();
  if (usual === undefined || usual === text) return;
  if (isNonStandard(text)) {
    const detail = `non-standard IP address ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release`;
    warnAt(place, warn, `${detail}: use ${JSON.stringify(usual)}`);
  } else {
    const detail = `IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format`;
    warnAt(place, warn, `${detail} (${JSON.stringify(usual)})`);
  }
}

/** Warns of a network in an unusual form, or with bits after its prefix. */
export function warnOfNetwork(place: Place, warn: AddWarning): void {
  const { text } = place;
  const found = usualNetwork(text);
  if (found === undefined) return;
  const [host = '', digits = ''] = text.split('/');
  const network = `${found.first}/${found.length}`;
  const isAmbiguous = network !== found.toString();
  if (isAmbiguous) {
    const single = `${found.address}/${found.address.bits}`;
    const should = `should be ${JSON.stringify(network)} or ${JSON.stringify(single)}?`;
    warnAt(place, warn, `CIDR value ${JSON.stringify(text)} is ambiguous in this context (${should})`);
  }
  if (isNonStandard(host) || /^0\d/.test(digits)) {
    const detail = `non-standard CIDR value ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release`;
    warnAt(place, warn, `${detail}: use ${JSON.stringify(network)}`);
  } else if (!isAmbiguous && found.address.bits === 128 && found.toString() !== text) {
    const detail = `IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format`;
    warnAt(place, warn, `${detail} (${JSON.stringify(network)})`);
  }
}

/** Whether an address has leading zeros, or is IPv4 in the form of IPv6. */
function isNonStandard(text: string): boolean {
  const found = parseAddress(text);
  return found === undefined || unmapped(found) !== found;
}

/** The usual form of a network; an IPv4-mapped network becomes an IPv4 network. */
function usualNetwork(text: string): Network | undefined {
  const found = parseLenientNetwork(text);
  if (found === undefined) return undefined;
  const address = unmapped(found.address);
  const length = found.length - (found.address.bits - address.bits);
  return length < 0 ? undefined : new Network(address, length);
}
