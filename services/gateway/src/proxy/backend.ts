import { type IncomingMessage, request } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { dialErrorText, knownDialErrorText } from '../callouts/dial-errors.ts';

/** Where requests are sent on to: an address that was judged, and is not resolved again. */
export interface Backend {
  readonly address: string;
  readonly port: number;
  /** as it is named where it is known by a name: its certificate is for this */
  readonly host: string;
  /** undefined: in the clear */
  readonly tls: ConnectionOptions | undefined;
  /** how long connecting may take, TLS and all */
  readonly connectMs: number;
}

export interface Call {
  readonly method: string;
  /** with the query */
  readonly path: string;
  /** names and values in turn, with Host */
  readonly headers: string[];
}

/** What a back end said: a response to be read, or, where it has switched protocols, a connection. */
export interface Said {
  readonly response: IncomingMessage;
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer };
}

/** No connection came about, or what came over it was no answer, in words that clients may hear. */
export class DialError extends Error {}

/** Where the words of a failure say less than was found: the rest of it, as the cause of what clients are told, for the log. */
export function untold(error: unknown): { readonly cause?: unknown } {
  if (!(error instanceof DialError) || !(error.cause instanceof Error)) return {};
  return knownDialErrorText(error.cause) === undefined ? { cause: error.cause } : {};
}

/** what a back end may send as headers, all together */
const MAX_HEADER_BYTES = 64 << 10;

export function hostAndPort({ host, port }: Backend): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A connection of its own for each request: none is ever used for the next one, whoever asks. */
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
      // a certificate that is not believed is not the network's fault
      const where = words.startsWith('tls: ') ? '' : `dial tcp ${hostAndPort({ ...backend, host: address })}: `;
      reject(new DialError(where + words, { cause }));
    };
    const timer = setTimeout(fail, connectMs, 'i/o timeout');
    const failed = (error: Error & { code?: string }) => fail(dialErrorText(error), error);
    // it stays: no failure of a connection is without somebody who hears it
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
 * Sends a request over a connection that `dial` made, and waits for what is said to it. The body is written by `send`,
 * which calls nothing but the stream it is given. Destroying the connection ends everything.
 */
export function ask(socket: Socket, call: Call, send: (body: NodeJS.WritableStream) => void): Promise<Said> {
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
    // after the answer has begun, its own stream tells of what goes wrong
    sent.on('error', (error) => {
      socket.destroy();
      reject(new DialError(dialErrorText(error), { cause: error }));
    });
    sent.on('close', () => reject(new DialError('EOF')));
    send(sent);
  });
}
