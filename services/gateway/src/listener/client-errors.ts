import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasBody } from '../limits/incoming-bodies.ts';

const RESPONSES: Readonly<Record<string, readonly [status: string, words: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `the head of a request may have ${maxHeaderSize} bytes: send fewer or shorter headers`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};
const DEFAULT_RESPONSE = ['400 Bad Request', 'this is not a valid HTTP/1.1 request'] as const;

/** time that a client has to read the error before the connection is destroyed */
const LINGER_MS = 1000;

const answered = new WeakSet<Socket>();

/**
 * Answers bytes that are not a valid request with a plain text error and closes the connection; later bytes cannot be
 * interpreted and are ignored. Closing while the client still sends would reset the connection, and the reset could
 * discard the answer: so the connection is closed with the client's end, or after LINGER_MS.
 */
export function clientError(error: Error & { code?: string }, socket: Socket): void {
  if (answered.has(socket)) return;
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  answered.add(socket);
  const [status, words] = RESPONSES[error.code ?? ''] ?? DEFAULT_RESPONSE;
  const text = `${words}\n`;
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    'Connection: close',
    `Content-Length: ${text.length}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(lingering));
}

/** Limits the time for a body: a slow body holds memory and one of the streams of its connection. */
export function bodyClock(
  limitMs: number,
  onTimeout: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { raw } = request;
    if (hasBody(raw)) {
      const timer = setTimeout(() => {
        onTimeout(request, reply).finally(() => raw.destroy());
      }, limitMs);
      const stop = () => clearTimeout(timer);
      raw.once('end', stop);
      raw.once('close', stop);
    }
    done();
  };
}
