import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { delayMs } from '@tidegate/service-kit';

interface Session {
  close(): void;
}

/**
 * The connections of a server that also has HTTP/2: what Node closes by itself are those of HTTP/1 servers only.
 *
 * Invariant: active counts the requests that are not answered yet, watches among them.
 */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Session>();
  readonly #idle = new EventEmitter();
  #active = 0;
  /** one for all responses: thousands of watches wait for theirs */
  readonly #answered = () => {
    if (--this.#active === 0) this.#idle.emit('idle');
  };

  constructor(server: EventEmitter) {
    server.on('secureConnection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('session', (session: Session & EventEmitter) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    server.on('request', (_request: unknown, response: EventEmitter) => {
      this.#active++;
      response.on('close', this.#answered);
    });
  }

  /** Lets requests under way finish, for a while, and then closes every connection. */
  async drain(graceMs: number): Promise<void> {
    // tells HTTP/2 clients to send nothing new here
    for (const session of this.#sessions) session.close();
    if (this.#active > 0) {
      const over = new AbortController();
      this.#idle.once('idle', () => over.abort());
      await delayMs(graceMs, over.signal);
    }
    for (const socket of this.#sockets) socket.destroy();
  }
}
