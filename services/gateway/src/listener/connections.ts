import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { delayMs } from '@tidegate/service-kit';

interface DrainTimes {
  /** how long requests that are under way may take */
  readonly graceMs: number;
  /** how long connections of HTTP/1.1 stay that are idle: their clients may be sending */
  readonly idleMs: number;
}

/**
 * The connections of a server of HTTP/1.1 and HTTP/2, and how they end.
 *
 * Invariant: `#open` are the requests that are not answered yet, watches among them; `#talks` the connections that went over
 * to another protocol. While it drains, no connection of HTTP/1.1 outlives the next answer that begins on it, and none is
 * closed that was promised to stay, unless it is idle.
 */
export class Connections {
  readonly #server: EventEmitter;
  readonly #sockets = new Set<TLSSocket>();
  readonly #talks = new Set<TLSSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #open = new Set<ServerResponse>();
  readonly #answered: (this: ServerResponse) => void;
  #isDraining = false;
  #left: () => void = () => {};

  constructor(server: EventEmitter) {
    this.#server = server;
    const open = this.#open;
    // one for all responses: thousands of watches wait for theirs
    this.#answered = function answered(this: ServerResponse) {
      open.delete(this);
    };
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#talks.delete(socket);
        this.#left();
      });
    });
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      if (this.#isDraining) session.close();
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#talks.add(socket as TLSSocket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#open.add(response);
      response.on('close', this.#answered);
      if (this.#isDraining && request.httpVersionMajor === 1) response.shouldKeepAlive = false;
    });
  }

  /**
   * Lets clients go elsewhere without losing a request: those of HTTP/2 are told which of theirs is the last that is served,
   * those of HTTP/1.1 with their next answer. What is left when the time is over is cut off; talks are when nothing else is
   * left, for they may go on for days.
   */
  async drain({ graceMs, idleMs }: DrainTimes): Promise<void> {
    this.#isDraining = true;
    // this server's own close would also close what is idle, at once
    Server.prototype.close.call(this.#server);
    for (const response of this.#open) {
      if (response.req.httpVersionMajor === 1 && !response.headersSent) response.shouldKeepAlive = false;
    }
    for (const session of this.#sessions) session.close();
    const isDone = () => this.#sockets.size === this.#talks.size;
    await this.#until(isDone, idleMs);
    this.#closeIdle();
    await this.#until(isDone, graceMs - idleMs);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** What of HTTP/1.1 is asked nothing; the others end with their answers. */
  #closeIdle(): void {
    const busy = new Set([...this.#open].map(({ req }) => req.socket));
    for (const socket of this.#sockets) {
      if (socket.alpnProtocol !== 'h2' && !busy.has(socket) && !this.#talks.has(socket)) socket.destroySoon();
    }
  }

  async #until(isDone: () => boolean, ms: number): Promise<void> {
    const over = new AbortController();
    this.#left = () => {
      if (isDone()) over.abort();
    };
    this.#left();
    await delayMs(ms, over.signal);
  }
}
