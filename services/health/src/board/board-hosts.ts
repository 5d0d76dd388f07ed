import type { IncomingMessage } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { type Address, parseAddress, specialsOf, unmapped } from '@tidegate/addresses';
import { OptionError } from '@tidegate/service-kit';

/** The names and addresses of this machine, which may change while the process runs. */
export interface Machine {
  readonly names: () => readonly string[];
  readonly addresses: () => readonly string[];
}

const MACHINE: Machine = {
  names: () => [hostname()],
  addresses: () => Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
};

/**
 * The hosts under which the board is served. The check prevents DNS rebinding: a foreign site could resolve its own
 * name to an address of this machine, and then read the board in the browsers of its visitors. Such requests have the
 * name of that site as their host.
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

/** The host of a Host header in its compared form; '' where there is none. */
function hostOf(header: string): string {
  const [, host = ''] = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]*)(?::\d*)?$/.exec(header) ?? [];
  return plain(host);
}

/** Names are compared in lower case and without a final dot. */
function plain(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** One spelling for each address. */
function canonical(host: string): string {
  return addressIn(host)?.toString() ?? host;
}

/** Removes the zone of an interface's address, which a Host header does not have. */
function addressIn(text: string): Address | undefined {
  const found = parseAddress(text.replace(/%.*$/, ''));
  return found && unmapped(found);
}
