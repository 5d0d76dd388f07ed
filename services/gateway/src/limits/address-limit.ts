import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ClientCounters } from './client-allowances.ts';

type Listener = (socket: Socket) => void;

/**
 * Limits the connections of one address. Requests on surplus connections are answered with an error that names the
 * limit; above twice the limit, connections are closed before any work is done for them.
 *
 * Invariant: `#surplus` holds exactly the open connections that were opened when their address was at its limit.
 */
export class AddressLimit {
  readonly #max: number;
  readonly #counts = new ClientCounters();
  readonly #surplus = new Set<string>();
  readonly #dropped: () => void;

  constructor(server: EventEmitter, { max, dropped }: { max: number; dropped: () => void }) {
    this.#max = max;
    this.#dropped = dropped;
    if (max === 0) return;
    // before the TLS handshake, which is most of a connection's cost
    const begin = server.listeners('connection') as Listener[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.#accepts(socket)) for (const listener of begin) listener.call(server, socket);
    });
  }

  /** The error for requests on a surplus connection. */
  refusal({ socket }: IncomingMessage): string | undefined {
    if (this.#surplus.size === 0 || !this.#surplus.has(nameOf(socket))) return undefined;
    const { remoteAddress } = socket;
    return `Too many connections from ${remoteAddress} are open here (the limit is ${this.#max}): please use fewer.\n`;
  }

  #accepts(socket: Socket): boolean {
    const { remoteAddress = '' } = socket;
    if (this.#counts.of(remoteAddress) >= 2 * this.#max) {
      this.#dropped();
      socket.destroy();
      return false;
    }
    const name = nameOf(socket);
    if (this.#counts.enter(remoteAddress) > this.#max) this.#surplus.add(name);
    socket.once('close', () => {
      this.#counts.leave(remoteAddress);
      this.#surplus.delete(name);
    });
    return true;
  }
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
