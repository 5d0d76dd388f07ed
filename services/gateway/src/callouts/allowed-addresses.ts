import { lookup } from 'node:dns/promises';
import { type Address, carriedBy, isSpecial, type Network, parseAddress, parseNetwork } from '@tidegate/addresses';
import { OptionError } from '@tidegate/options';
import { badRequest } from '@tidegate/status';

/**
 * The addresses to which requests may be forwarded. Users who can write a node or a pod choose its address; it must not
 * lead to loopback services of this machine or to the metadata service of its cloud. An IPv6 address that embeds an
 * IPv4 address is refused when either of them is.
 *
 * Invariant: the checked address is the one that is connected to. A name is resolved once, and all its addresses must
 * be allowed.
 */
export class AllowedAddresses {
  readonly #open: readonly Network[];
  readonly #resolve: (host: string) => Promise<string[]>;

  constructor(open: readonly string[], resolve = resolveAll) {
    this.#open = open.map(openNetwork);
    this.#resolve = resolve;
  }

  async of(host: string): Promise<string> {
    if (parseAddress(host) !== undefined) return this.checked(host);
    let found: string[];
    try {
      found = await this.#resolve(host);
    } catch (error) {
      throw badRequest(`no addresses for hostname ${JSON.stringify(host)}`, error);
    }
    for (const address of found) this.checked(address);
    const [first] = found;
    if (first === undefined) throw badRequest(`no addresses for hostname ${JSON.stringify(host)}`);
    return first;
  }

  /** Checks an address, which must not be a host name. */
  checked(text: string): string {
    const address = parseAddress(text);
    if (address === undefined) throw badRequest('address not allowed');
    const carried = carriedBy(address);
    const both = carried === undefined ? [address] : [address, carried];
    if (both.some(isSpecial) && !both.some((one) => this.#isOpen(one))) throw badRequest('address not allowed');
    return text;
  }

  #isOpen(address: Address): boolean {
    return this.#open.some((network) => network.contains(address));
  }
}

async function resolveAll(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function openNetwork(range: string): Network {
  const network = parseNetwork(range);
  if (network !== undefined) return network;
  throw new OptionError(`--proxy-allow-addresses takes ranges as 127.0.0.0/8 or ::1/128, not ${range}`);
}
