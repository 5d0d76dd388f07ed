import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasBody } from '../limits/incoming-bodies.ts';

const SAID: Readonly<Record<string, readonly [status: string, words: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `the head of a request may have ${maxHeaderSize} bytes: send fewer or shorter headers`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request was not here in time'],
};
const OTHER = ['400 Bad Request', 'this is no request of HTTP/1.1'] as const;

/** so long a client that goes on sending has time to read why nobody listens */
const LINGER_MS = 1000;

const told = new WeakSet<Socket>();

/**
 * What is said, in plain text, to whoever sends what is no request; nothing that follows it can be trusted. What comes
 * meanwhile is an error again, and is not read. A connection that is closed before its client has sent all is reset, and a
 * reset takes away the answer that is on its way: so it ends with its client, or a little later.
 */
export function clientError(error: Error & { code?: string }, socket: Socket): void {
  if (told.has(socket)) return;
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  told.add(socket);
  const [status, words] = SAID[error.code ?? ''] ?? OTHER;
  const text = `${words}\n`;
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    'Connection: close',
    `Content-Length: ${text.length}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
  const giveUp = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(giveUp));
}

/** A body must be here in time: who sends one slowly holds memory, and a place among the requests of its connection. */
export function bodyClock(
  limitMs: number,
  tooSlow: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { raw } = request;
    if (hasBody(raw)) {
      const timer = setTimeout(() => {
        tooSlow(request, reply).finally(() => raw.destroy());
      }, limitMs);
      const stop = () => clearTimeout(timer);
      raw.once('end', stop);
      raw.once('close', stop);
    }
    done();
  };
}
