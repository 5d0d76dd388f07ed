import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { delayMs } from '@tidegate/service-kit';

interface DrainTimes {
  /** time for pending requests to finish */
  readonly graceMs: number;
  /** time for which idle HTTP/1.1 connections stay open: their clients may be sending */
  readonly idleMs: number;
}

/**
 * Tracks the connections of an HTTP/1.1 and HTTP/2 server, and drains them.
 *
 * Invariant: `#open` has the responses that are not finished, including watches; `#upgraded` the connections that
 * switched to another protocol. During a drain an HTTP/1.1 connection ends with the next response that begins on it. A
 * connection that was promised to stay open is closed only if it is idle.
 */
export class Connections {
  readonly #server: EventEmitter;
  readonly #sockets = new Set<TLSSocket>();
  readonly #upgraded = new Set<TLSSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #open = new Set<ServerResponse>();
  readonly #answered: (this: ServerResponse) => void;
  #isDraining = false;
  #onClose: () => void = () => {};

  constructor(server: EventEmitter) {
    this.#server = server;
    const open = this.#open;
    // one function for all responses: there may be thousands of watches
    this.#answered = function answered(this: ServerResponse) {
      open.delete(this);
    };
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#upgraded.delete(socket);
        this.#onClose();
      });
    });
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      if (this.#isDraining) session.close();
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#upgraded.add(socket as TLSSocket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#open.add(response);
      response.on('close', this.#answered);
      if (this.#isDraining && request.httpVersionMajor === 1) response.shouldKeepAlive = false;
    });
  }

  /**
   * Drains without losing a request: HTTP/2 clients learn by GOAWAY which request is the last one served, HTTP/1.1
   * clients with their next response. After `graceMs` the rest is cut off. Upgraded connections, which may last for
   * days, are closed when nothing else is left.
   */
  async drain({ graceMs, idleMs }: DrainTimes): Promise<void> {
    this.#isDraining = true;
    // http.Server.close() would close idle connections at once, so the method of net.Server is called
    Server.prototype.close.call(this.#server);
    for (const response of this.#open) {
      if (response.req.httpVersionMajor === 1 && !response.headersSent) response.shouldKeepAlive = false;
    }
    for (const session of this.#sessions) session.close();
    const isDone = () => this.#sockets.size === this.#upgraded.size;
    await this.#until(isDone, idleMs);
    this.#closeIdle();
    await this.#until(isDone, graceMs - idleMs);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Closes idle HTTP/1.1 connections; the others close with their responses. */
  #closeIdle(): void {
    const busy = new Set([...this.#open].map(({ req }) => req.socket));
    for (const socket of this.#sockets) {
      if (socket.alpnProtocol !== 'h2' && !busy.has(socket) && !this.#upgraded.has(socket)) socket.destroySoon();
    }
  }

  async #until(isDone: () => boolean, ms: number): Promise<void> {
    const done = new AbortController();
    this.#onClose = () => {
      if (isDone()) done.abort();
    };
    this.#onClose();
    await delayMs(ms, done.signal);
  }
}
