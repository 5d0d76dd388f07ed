import type { IncomingMessage } from 'node:http';
import type { Duplex, DuplexOptions } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { UpgradedConnection, UpgradeResponse } from '../answer/upgrade-reply.ts';
import { protocolsOf, upgradeHeaders } from './headers.ts';
import { askUpgrade, join, type Upgrading } from './upgrade.ts';

/** as in kube-apiserver */
const MAX_MESSAGE_BYTES = 32 << 20;

/**
 * Accepts a WebSocket with this protocol, or none if it is empty. The client's list of protocols is not validated
 * again, because a strict parser would reject the slash in `SPDY/3.1+portforward.k8s.io`.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  { socket, head }: UpgradedConnection,
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
    // the library refuses invalid requests itself
    socket.once('close', () => reject(new Error('the client is gone')));
    server.handleUpgrade(plain, socket, head, (webSocket) => {
      // it may have been paused while the backend was connected
      socket.resume();
      resolve(webSocket);
    });
  });
}

/** A WebSocket as a stream with one message for each chunk. At the end it is closed with code 1000. */
export function socketStream(webSocket: WebSocket, options: DuplexOptions = {}): Duplex {
  const stream = createWebSocketStream(webSocket, options);
  stream._final = (done) => {
    webSocket.once('close', () => done());
    webSocket.close(1000);
  };
  return stream;
}

const PREFIX = 'SPDY/3.1+';

/** The protocols of a tunnel: SPDY as the payload of a WebSocket. */
export function tunnelled(raw: UpgradeResponse): string[] {
  const asked = protocolsOf(raw.req).filter((name) => name.startsWith(PREFIX) && name.endsWith('k8s.io'));
  return asked.map((name) => name.slice(PREFIX.length));
}

/** Connects the tunnel to the kubelet, and then copies bytes without parsing SPDY. */
export async function tunnel(upgrading: Upgrading, raw: UpgradeResponse, protocols: readonly string[]): Promise<void> {
  const { req } = raw;
  const wanted = protocols.flatMap((name) => ['X-Stream-Protocol-Version', name]);
  const headers = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'Content-Length', '0', ...wanted];
  const call = {
    method: 'POST',
    path: upgrading.path,
    headers: [...withoutWebSocket(upgradeHeaders(req)), ...headers],
  };
  const upgraded = await askUpgrade(upgrading, raw, call);
  if (upgraded === undefined) return;
  const { response, socket, head } = upgraded;
  const spoken = response.headers['x-stream-protocol-version'];
  const protocol = spoken === undefined ? '' : `${PREFIX}${String(spoken)}`;
  const webSocket = await acceptWebSocket(req, raw.take(), protocol);
  join({ socket: socketStream(webSocket), head: Buffer.alloc(0) }, { socket, head });
}

/** The headers for the kubelet, without those of the WebSocket. */
function withoutWebSocket(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (!/^(sec-websocket-.*|connection|upgrade|content-length|x-stream-protocol-version)$/i.test(name)) {
      kept.push(name, headers[i + 1] as string);
    }
  }
  return kept;
}
