import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { OptionError } from '@tidegate/options';
import { AddressLimit } from '../limits/address-limit.ts';
import type { User } from '../request/user.ts';
import { Handshakes } from './handshakes.ts';
import { Http2Sessions } from './http2-sessions.ts';

/** time limit for a TLS handshake, and for the client to begin it */
export const HANDSHAKE_MS = 10_000;

export interface ConnectionLimitsConfig {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly goawayChance: number;
}

interface Server extends EventEmitter {
  maxConnections: number;
}

/** The limits of connections, independent of their requests. */
export class ConnectionLimits {
  readonly #addresses: AddressLimit;
  readonly #sessions: Http2Sessions;

  constructor(server: Server, config: ConnectionLimitsConfig, dropped: () => void) {
    const { maxConnections, maxConnectionsPerAddress: max, goawayChance: goAwayChance } = config;
    if (!(goAwayChance >= 0 && goAwayChance <= 0.02)) {
      throw new OptionError(`--goaway-chance must be between 0 and 0.02, not ${goAwayChance}`);
    }
    if (maxConnections > 0) server.maxConnections = maxConnections;
    new Handshakes(server, HANDSHAKE_MS);
    this.#addresses = new AddressLimit(server, { max, dropped });
    this.#sessions = new Http2Sessions(server, { goAwayChance });
  }

  /** The error text if the connection exceeds the limit per address. */
  refusal(raw: IncomingMessage): string | undefined {
    return this.#addresses.refusal(raw);
  }

  /** Reports the user of a request; undefined: authentication failed. */
  setUser(raw: IncomingMessage, user: User | undefined): void {
    if (raw.httpVersionMajor === 2) this.#sessions.setUser(raw, user);
  }
}
