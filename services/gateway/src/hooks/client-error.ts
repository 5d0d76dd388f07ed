import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';

const SAID: Readonly<Record<string, readonly [status: string, words: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `the head of a request may have ${maxHeaderSize} bytes: send fewer or shorter headers`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request was not here in time'],
};
const OTHER = ['400 Bad Request', 'this is no request of HTTP/1.1'] as const;

/** What is said, in plain text, to whoever sends what is no request; nothing that follows it can be trusted. */
export function clientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, words] = SAID[error.code ?? ''] ?? OTHER;
  const text = `${words}\n`;
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    'Connection: close',
    `Content-Length: ${text.length}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
