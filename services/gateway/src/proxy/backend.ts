import { type IncomingMessage, request } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { dialErrorText, knownDialErrorText } from '../callouts/dial-errors.ts';

/** The target of forwarded requests: an address that was checked, and is not resolved again. */
export interface Backend {
  readonly address: string;
  readonly port: number;
  /** the host name or address that its certificate must have */
  readonly host: string;
  /** undefined: no TLS */
  readonly tls: ConnectionOptions | undefined;
  /** the timeout of the connection, TLS included */
  readonly connectMs: number;
}

export interface Call {
  readonly method: string;
  /** including the query */
  readonly path: string;
  /** alternating names and values, including Host */
  readonly headers: string[];
}

/** The answer of a backend: a response, or after an upgrade a connection. */
export interface Answered {
  readonly response: IncomingMessage;
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer };
}

/** The connection failed, or the answer was invalid. Clients may see the message. */
export class DialError extends Error {}

/** The hidden details of a failure, which become the cause of the client's error, for the log. */
export function hiddenDetails(error: unknown): { readonly cause?: unknown } {
  if (!(error instanceof DialError) || !(error.cause instanceof Error)) return {};
  return knownDialErrorText(error.cause) === undefined ? { cause: error.cause } : {};
}

/** the largest headers of an answer */
const MAX_HEADER_BYTES = 64 << 10;

export function hostAndPort({ host, port }: Backend): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Opens a new connection. Connections are never reused for another request. */
export function dial(backend: Backend): Promise<Socket> {
  const { address, port, host, tls, connectMs } = backend;
  const socket =
    tls === undefined
      ? connectTcp({ host: address, port, noDelay: true })
      : connectTls({
          ...tls,
          host: address,
          port,
          servername: isIP(host) === 0 ? host : '',
          ALPNProtocols: ['http/1.1'],
        });
  return new Promise((resolve, reject) => {
    const fail = (words: string, cause?: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      // a failed verification of the certificate is not a network error
      const where = words.startsWith('tls: ') ? '' : `dial tcp ${hostAndPort({ ...backend, host: address })}: `;
      reject(new DialError(where + words, { cause }));
    };
    const timer = setTimeout(fail, connectMs, 'i/o timeout');
    const failed = (error: Error & { code?: string }) => fail(dialErrorText(error), error);
    // the listener stays, because an error event without one would end the process
    socket.on('error', failed);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      clearTimeout(timer);
      socket.setKeepAlive(true, 30_000);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/**
 * Sends a request over a connection of `dial`, and waits for the answer. `send` writes the body. Destroying the
 * connection ends everything.
 */
export function ask(socket: Socket, call: Call, send: (body: NodeJS.WritableStream) => void): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({
      method: call.method,
      path: call.path,
      headers: call.headers,
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      createConnection: () => socket,
    });
    sent.on('response', (response) => resolve({ response }));
    sent.on('upgrade', (response, upgraded, head) => resolve({ response, upgraded: { socket: upgraded, head } }));
    // once the answer has begun, errors appear on its own stream
    sent.on('error', (error) => {
      socket.destroy();
      reject(new DialError(dialErrorText(error), { cause: error }));
    });
    sent.on('close', () => reject(new DialError('EOF')));
    send(sent);
  });
}
