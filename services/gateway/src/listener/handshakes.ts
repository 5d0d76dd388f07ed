import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

type Listener = (socket: Socket) => void;

/**
 * Connections whose TLS has not begun. A handshake is most of what a connection costs, more than a small request; many that
 * come at once would stand, all together, before everybody who is connected already. So one begins in each turn of the
 * loop, when its client has said its first word, and addresses take turns among themselves.
 *
 * Invariant: a connection that waits for its turn is in the line of its address once; an address with nobody in line is
 * not kept. One whose client says nothing is in no line, and ends when its time is over.
 */
export class Handshakes {
  readonly #begin: (socket: Socket) => void;
  readonly #silenceMs: number;
  /** by address, in the order in which they are next */
  readonly #lines = new Map<string, Set<Socket>>();
  #isRunning = false;

  constructor(server: EventEmitter, silenceMs: number) {
    const listeners = server.listeners('connection') as Listener[];
    this.#begin = (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    };
    this.#silenceMs = silenceMs;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#await(socket));
  }

  #await(socket: Socket): void {
    const giveUp = () => socket.destroy();
    // a client that goes away is nobody's error
    socket.on('error', giveUp);
    socket.setTimeout(this.#silenceMs, giveUp);
    socket.once('readable', () => {
      socket.setTimeout(0, giveUp);
      this.#enter(socket);
    });
  }

  #enter(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    const line = this.#lines.get(remoteAddress);
    if (line === undefined) this.#lines.set(remoteAddress, new Set([socket]));
    else line.add(socket);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#next();
  }

  #next(): void {
    const [first] = this.#lines;
    if (first === undefined) {
      this.#isRunning = false;
      return;
    }
    const [address, line] = first;
    const [socket] = line as unknown as [Socket];
    line.delete(socket);
    this.#lines.delete(address);
    if (line.size > 0) this.#lines.set(address, line);
    // who did not wait has gone
    if (!socket.destroyed) this.#begin(socket);
    setImmediate(() => this.#next());
  }
}
