import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

type Listener = (socket: Socket) => void;

/**
 * Delays TLS handshakes. A handshake is most of the cost of a connection, more than a small request, and many at once
 * would block all established connections. So one handshake starts in each turn of the event loop, after the client has
 * sent its first bytes, alternating between addresses.
 *
 * Invariant: a waiting connection is in the queue of its address once; empty queues are removed. A connection whose
 * client sends nothing is in no queue, and is closed after the timeout.
 */
export class Handshakes {
  readonly #begin: (socket: Socket) => void;
  readonly #silenceTimeoutMs: number;
  /** by address, in the order in which the addresses are served */
  readonly #queues = new Map<string, Set<Socket>>();
  #isRunning = false;

  constructor(server: EventEmitter, silenceTimeoutMs: number) {
    const listeners = server.listeners('connection') as Listener[];
    this.#begin = (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    };
    this.#silenceTimeoutMs = silenceTimeoutMs;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#awaitFirstBytes(socket));
  }

  #awaitFirstBytes(socket: Socket): void {
    const close = () => socket.destroy();
    // a client that disconnects is not an error of the server
    socket.on('error', close);
    socket.setTimeout(this.#silenceTimeoutMs, close);
    socket.once('readable', () => {
      socket.setTimeout(0, close);
      this.#enqueue(socket);
    });
  }

  #enqueue(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    const queue = this.#queues.get(remoteAddress);
    if (queue === undefined) this.#queues.set(remoteAddress, new Set([socket]));
    else queue.add(socket);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#next();
  }

  #next(): void {
    const [first] = this.#queues;
    if (first === undefined) {
      this.#isRunning = false;
      return;
    }
    const [address, queue] = first;
    const [socket] = queue as unknown as [Socket];
    queue.delete(socket);
    this.#queues.delete(address);
    if (queue.size > 0) this.#queues.set(address, queue);
    // skip connections that closed while they waited
    if (!socket.destroyed) this.#begin(socket);
    setImmediate(() => this.#next());
  }
}
