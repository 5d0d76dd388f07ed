import type { IncomingMessage } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { type Address, parseAddress, specialsOf, unmapped } from '@tidegate/addresses';
import { OptionError } from '@tidegate/service-kit';

/** What this machine is called, and its addresses: they may change while the process runs. */
export interface Machine {
  readonly names: () => readonly string[];
  readonly addresses: () => readonly string[];
}

const MACHINE: Machine = {
  names: () => [hostname()],
  addresses: () => Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
};

/**
 * The hosts under which the board is served. A page of another site can give its own name an address of this machine (DNS
 * rebinding), and its visitors' browsers then let it read the board: their requests name that site as their host.
 */
export class BoardHosts {
  readonly #configured: ReadonlySet<string>;
  readonly #machine: Machine;

  constructor(configured: readonly string[], machine = MACHINE) {
    const wrong = configured.find((host) => !NAME.test(plain(host)) && addressIn(plain(host)) === undefined);
    if (wrong !== undefined) {
      throw new OptionError(`--board-hosts takes names or addresses without a port, not ${JSON.stringify(wrong)}`);
    }
    this.#configured = new Set(configured.map((host) => canonical(plain(host))));
    this.#machine = machine;
  }

  /** Whether a request names a host under which the board is served. */
  has({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
    const host = hostOf(headers.host ?? '');
    if (host === '') return false;
    if (this.#configured.has(canonical(host)) || host === 'localhost' || host.endsWith('.localhost')) return true;
    const address = addressIn(host);
    if (address === undefined) return this.#machine.names().some((name) => plain(name) === host);
    if (specialsOf(address).has('loopback')) return true;
    const own = [socket.localAddress ?? '', ...this.#machine.addresses()];
    return own.some((text) => addressIn(text)?.equals(address) === true);
  }
}

const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** The host of a Host header, as it is compared; '' where there is none. */
function hostOf(header: string): string {
  const [, host = ''] = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]*)(?::\d*)?$/.exec(header) ?? [];
  return plain(host);
}

/** Names are compared without their case and the dot that may end them. */
function plain(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** An address has several spellings. */
function canonical(host: string): string {
  return addressIn(host)?.toString() ?? host;
}

/** Interfaces have zones, which no Host header has. */
function addressIn(text: string): Address | undefined {
  const found = parseAddress(text.replace(/%.*$/, ''));
  return found && unmapped(found);
}
