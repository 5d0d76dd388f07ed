import type { IncomingMessage } from 'node:http';
import type { Duplex, DuplexOptions } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { Taken } from '../answer/upgrade-reply.ts';

/** as kube-apiserver takes it */
const MAX_MESSAGE_BYTES = 32 << 20;

/**
 * Answers a request for a WebSocket with one that speaks this protocol; an empty one is none. What the client asked for is
 * not looked at again: `SPDY/3.1+portforward.k8s.io`, with its slash, is no name that a strict reader would let pass.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  { socket, head }: Taken,
  protocol: string,
): Promise<WebSocket> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  if (protocol !== '') server.on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
  const { 'sec-websocket-protocol': _asked, ...headers } = request.headers;
  const plain = Object.create(request, { headers: { value: headers } }) as IncomingMessage;
  return new Promise((resolve, reject) => {
    if (socket.destroyed) throw new Error('the client is gone');
    // it refuses what is no proper request by itself
    socket.once('close', () => reject(new Error('the client is gone')));
    server.handleUpgrade(plain, socket, head, (webSocket) => {
      // it may have been paused while the back end was asked
      socket.resume();
      resolve(webSocket);
    });
  });
}

/** A WebSocket as a stream: a message for each piece. When there are no more, it is closed as something that went well. */
export function socketStream(webSocket: WebSocket, options: DuplexOptions = {}): Duplex {
  const stream = createWebSocketStream(webSocket, options);
  stream._final = (done) => {
    webSocket.once('close', () => done());
    webSocket.close(1000);
  };
  return stream;
}
