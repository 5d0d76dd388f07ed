import { lookup } from 'node:dns/promises';
import { type Address, carriedBy, isSpecial, type Network, parseAddress, parseNetwork } from '@tidegate/addresses';
import { OptionError } from '@tidegate/options';
import { badRequest } from '@tidegate/status';

/**
 * Which addresses a request may be sent on to. Who can write a node or a pod chooses its address: it must not be a way
 * to what listens beside this process, or to the machine's own metadata service. An IPv6 address that carries an IPv4
 * address is closed when either of them is.
 *
 * Invariant: what is judged is what is connected to. A name is resolved once, and all that it means must be allowed.
 */
export class AllowedAddresses {
  readonly #open: readonly Network[];
  readonly #resolve: (host: string) => Promise<string[]>;

  constructor(open: readonly string[], resolve = resolveAll) {
    this.#open = open.map(openNetwork);
    this.#resolve = resolve;
  }

  async of(host: string): Promise<string> {
    if (parseAddress(host) !== undefined) return this.judged(host);
    let found: string[];
    try {
      found = await this.#resolve(host);
    } catch (error) {
      throw badRequest(`no addresses for hostname ${JSON.stringify(host)}`, error);
    }
    for (const address of found) this.judged(address);
    const [first] = found;
    if (first === undefined) throw badRequest(`no addresses for hostname ${JSON.stringify(host)}`);
    return first;
  }

  /** An address as it stands in a status, which is no name. */
  judged(text: string): string {
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
