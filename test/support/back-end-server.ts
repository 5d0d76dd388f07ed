import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@tidegate/testkit';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

interface Secured {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** the authority of the client certificates */
  readonly ca: Buffer;
}

/** A back end for forwarded requests. Unless a test handles a path, the answer echoes the request. */
export class BackEndServer {
  readonly server: Server;
  readonly received: Received[] = [];
  readonly #handlers = new Map<string, Handler>();
  readonly #sockets = new Set<Socket>();

  constructor(secured?: Secured) {
    const listener: Handler = (request, response) => this.#answer(request, response);
    this.server =
      secured === undefined
        ? createServer(listener)
        : createSecureServer({ ...secured, requestCert: true, rejectUnauthorized: false }, listener);
    this.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(host = '127.0.0.1'): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, host, resolve));
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Handles requests for a path; the query is ignored. */
  on(path: string, handler: Handler): void {
    this.#handlers.set(path, handler);
  }

  /** Waits until no connection is open. */
  async allClosed(): Promise<void> {
    await until('all connections to be closed', () => this.#sockets.size === 0);
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const own = this.#handlers.get(url.split('?', 1)[0] as string);
    if (own !== undefined) {
      await own(request, response);
      return;
    }
    const received = { method, url, headers, body: await text(request) };
    this.received.push(received);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(received));
  }
}
