import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { OptionError } from '@tidegate/options';
import { badRequest } from '@tidegate/status';

/** Nobody's pods and nodes live here: this machine, its links, and whoever listens to all. */
const CLOSED = [
  '0.0.0.0/32',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
];

/**
 * Which addresses a request may be sent on to. Who can write a node or a pod chooses its address: it must not be a way
 * to what listens beside this process, or to the machine's own metadata service.
 *
 * Invariant: what is judged is what is connected to. A name is resolved once, and all that it means must be allowed.
 */
export class Addresses {
  readonly #closed = blockList(CLOSED);
  readonly #open: BlockList;
  readonly #resolve: (host: string) => Promise<string[]>;

  constructor(open: readonly string[], resolve = resolveAll) {
    this.#open = blockList(open);
    this.#resolve = resolve;
  }

  async of(host: string): Promise<string> {
    if (isIP(host) !== 0) return this.judged(host);
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
  judged(address: string): string {
    if (isIP(address) === 0) throw badRequest('address not allowed');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (this.#closed.check(address, family) && !this.#open.check(address, family)) {
      throw badRequest('address not allowed');
    }
    return address;
  }
}

async function resolveAll(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix = ''] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (isIP(address) === 0 || !(bits <= (family === 'ipv6' ? 128 : 32))) {
      throw new OptionError(`--proxy-allow-addresses takes ranges as 127.0.0.0/8 or ::1/128, not ${range}`);
    }
    list.addSubnet(address, bits, family);
  }
  return list;
}
