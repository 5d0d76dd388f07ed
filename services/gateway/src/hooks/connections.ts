import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { delayMs } from '@tidegate/service-kit';

interface Session {
  close(): void;
}

interface DrainTimes {
  /** how long requests that are under way may take */
  readonly graceMs: number;
  /** how long connections of HTTP/1.1 stay that are idle: their clients may be sending */
  readonly idleMs: number;
}

/**
 * The connections of a server that also has HTTP/2: what Node closes by itself are those of HTTP/1 servers only.
 *
 * Invariant: `#open` are the requests that are not answered yet, watches among them. While it drains, no connection of
 * HTTP/1.1 outlives the next answer that begins on it, and none is closed that was promised to stay, unless it is idle.
 */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Session>();
  readonly #open = new Set<ServerResponse>();
  readonly #answered: (this: ServerResponse) => void;
  #isDraining = false;
  #left: () => void = () => {};

  constructor(server: EventEmitter) {
    const ended = (response: ServerResponse) => this.#ended(response);
    // one for all responses: thousands of watches wait for theirs
    this.#answered = function answered(this: ServerResponse) {
      ended(this);
    };
    server.on('secureConnection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#left();
      });
    });
    server.on('session', (session: Session & EventEmitter) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      if (this.#isDraining) session.close();
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#open.add(response);
      response.on('close', this.#answered);
      if (this.#isDraining && request.httpVersionMajor === 1) response.shouldKeepAlive = false;
    });
  }

  /**
   * Lets clients go elsewhere without losing a request: those of HTTP/2 are told which of theirs is the last that is served,
   * those of HTTP/1.1 with their next answer. What is left when the time is over is cut off.
   */
  async drain({ graceMs, idleMs }: DrainTimes): Promise<void> {
    this.#isDraining = true;
    for (const response of this.#open) {
      if (response.req.httpVersionMajor === 1 && !response.headersSent) response.shouldKeepAlive = false;
    }
    for (const session of this.#sessions) session.close();
    await this.#until(() => this.#sockets.size === 0, idleMs);
    await this.#until(() => this.#open.size === 0, graceMs - idleMs);
    for (const socket of this.#sockets) socket.destroy();
  }

  #ended(response: ServerResponse): void {
    this.#open.delete(response);
    this.#left();
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
