import { EventEmitter } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';

/** what a client may leave unread before it counts as slow */
const UNREAD_BYTES = 64 << 10;
/** what a client may say before it is answered */
const EARLY_BYTES = 64 << 10;
const NEWLINE = 0x0a;

const server = new WebSocketServer({
  noServer: true,
  // watchers have nothing to say
  maxPayload: 1024,
  handleProtocols: (protocols) => [...protocols].find((name) => !name.startsWith(BEARER)) ?? false,
});

/** Browsers cannot set headers: they bring their token as a protocol that they would like to speak. */
const BEARER = 'base64url.bearer.authorization.k8s.io.';

export function takeBearer(request: IncomingMessage): void {
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const token = protocols.find((name) => name.startsWith(BEARER))?.slice(BEARER.length);
  if (token === undefined || request.headers.authorization !== undefined) return;
  request.headers.authorization = `Bearer ${Buffer.from(token, 'base64url').toString('utf8')}`;
}

/** A connection that is no longer HTTP, with what was read of it already. */
export interface Taken {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * A response to a request for another protocol, as the verbs know responses. To a watch an answer of 200 accepts a
 * WebSocket, and each line that is written becomes a message; who speaks something else takes the connection. Any other
 * answer is a plain HTTP response, after which the connection is closed.
 */
export class UpgradeResponse extends EventEmitter {
  readonly req: IncomingMessage;
  readonly #socket: Duplex;
  readonly #head: Buffer;
  readonly #early: Buffer[] = [];
  #heeded = (): void => {};
  #plain: ServerResponse | undefined;
  #webSocket: WebSocket | undefined;
  headersSent = false;
  writableEnded = false;
  destroyed = false;

  constructor(request: IncomingMessage, socket: Duplex, head: Buffer) {
    super();
    this.req = request;
    this.#socket = socket;
    this.#head = head;
    socket.on('close', () => {
      this.destroyed = true;
      this.emit('close');
    });
    // an error of the client's connection is always followed by its close
    socket.on('error', () => {});
  }

  writeHead(code: number, headers: string[] | OutgoingHttpHeaders): void {
    this.headersSent = true;
    if (code === 200) {
      server.handleUpgrade(this.req, this.#socket, this.#head, (webSocket) => {
        this.#webSocket = webSocket;
        webSocket.on('error', () => webSocket.terminate());
        this.#socket.on('drain', () => this.emit('drain'));
      });
      return;
    }
    this.#plain = new ServerResponse(this.req);
    this.#plain.assignSocket(this.#socket as never);
    this.#plain.on('finish', () => this.#socket.end());
    const closing = Array.isArray(headers) ? [...headers, 'Connection', 'close'] : { ...headers, Connection: 'close' };
    this.#plain.writeHead(code, closing);
  }

  /**
   * Reads on while somebody else is asked whether to switch: else it would not be seen that the client has gone. What it
   * says too early is kept, and not more of it than this.
   */
  heed(): void {
    const socket = this.#socket;
    let bytes = 0;
    const take = (chunk: Buffer) => {
      this.#early.push(chunk);
      bytes += chunk.length;
      if (bytes > EARLY_BYTES) socket.pause();
    };
    const end = () => socket.destroy();
    socket.on('data', take).once('end', end);
    this.#heeded = () => socket.off('data', take).off('end', end).pause();
  }

  /** The connection itself: from now on nothing is written here. */
  take(): Taken {
    this.headersSent = true;
    this.#heeded();
    return { socket: this.#socket, head: Buffer.concat([this.#head, ...this.#early]) };
  }

  flushHeaders(): void {}

  /** Events end with a newline, and have none inside. */
  write(bytes: Buffer): boolean {
    const webSocket = this.#webSocket;
    if (webSocket === undefined) return this.#plain?.write(bytes) ?? false;
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, from);
      const to = end < 0 ? bytes.length : end;
      if (to > from) webSocket.send(bytes.subarray(from, to), { binary: false });
      from = to + 1;
    }
    return webSocket.bufferedAmount < UNREAD_BYTES;
  }

  end(bytes?: Buffer): void {
    this.writableEnded = true;
    if (this.#webSocket !== undefined) this.#webSocket.close(1000);
    else this.#plain?.end(bytes);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

export function upgradeReply(request: IncomingMessage, socket: Duplex, head: Buffer): FastifyReply {
  const raw = new UpgradeResponse(request, socket, head);
  return { raw, hijack: () => {} } as unknown as FastifyReply;
}

/** What answers an upgrade; undefined for any other request. */
export function upgradeOf(reply: FastifyReply): UpgradeResponse | undefined {
  const raw: unknown = reply.raw;
  return raw instanceof UpgradeResponse ? raw : undefined;
}
