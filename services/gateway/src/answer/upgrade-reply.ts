import { EventEmitter } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';

/** unsent bytes above which a client counts as slow */
const UNREAD_BYTES = 64 << 10;
/** bytes that a client may send before the upgrade is accepted */
const EARLY_BYTES = 64 << 10;
const NEWLINE = 0x0a;

const server = new WebSocketServer({
  noServer: true,
  // clients of a watch send nothing of interest
  maxPayload: 1024,
  handleProtocols: (protocols) => [...protocols].find((name) => !name.startsWith(BEARER)) ?? false,
});

/** Browsers cannot set the Authorization header: they send the token as a WebSocket subprotocol. */
const BEARER = 'base64url.bearer.authorization.k8s.io.';

export function takeBearer(request: IncomingMessage): void {
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const token = protocols.find((name) => name.startsWith(BEARER))?.slice(BEARER.length);
  if (token === undefined || request.headers.authorization !== undefined) return;
  request.headers.authorization = `Bearer ${Buffer.from(token, 'base64url').toString('utf8')}`;
}

/** An upgraded connection, with the bytes that were already read from it. */
export interface UpgradedConnection {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * A response to an upgrade request, with the interface of a normal response. For a watch, an answer of 200 accepts the
 * WebSocket, and each line written becomes a message. Verbs with their own protocol take the connection (`take`). Any
 * other answer is sent as a plain HTTP response, and the connection is closed.
 */
export class UpgradeResponse extends EventEmitter {
  readonly req: IncomingMessage;
  readonly #socket: Duplex;
  readonly #head: Buffer;
  readonly #early: Buffer[] = [];
  #stopReading = (): void => {};
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
    // an error of the client's connection is always followed by close
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
   * Reads from the client while a backend decides whether to switch; otherwise a disconnect would not be noticed.
   * Early data is kept up to EARLY_BYTES.
   */
  readEarly(): void {
    const socket = this.#socket;
    let bytes = 0;
    const take = (chunk: Buffer) => {
      this.#early.push(chunk);
      bytes += chunk.length;
      if (bytes > EARLY_BYTES) socket.pause();
    };
    const end = () => socket.destroy();
    socket.on('data', take).once('end', end);
    this.#stopReading = () => socket.off('data', take).off('end', end).pause();
  }

  /** Hands over the connection: nothing may be written to this response afterwards. */
  take(): UpgradedConnection {
    this.headersSent = true;
    this.#stopReading();
    return { socket: this.#socket, head: Buffer.concat([this.#head, ...this.#early]) };
  }

  flushHeaders(): void {}

  /** Writes events; each ends with a newline and contains none. */
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

/** The response of an upgrade request; undefined for any other request. */
export function upgradeOf(reply: FastifyReply): UpgradeResponse | undefined {
  const raw: unknown = reply.raw;
  return raw instanceof UpgradeResponse ? raw : undefined;
}
