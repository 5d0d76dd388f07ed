import type { UpgradeResponse } from '../answer/upgrade-reply.ts';
import { protocolsOf, upgradeHeaders } from './headers.ts';
import { askUpgrade, join, type Upgrading } from './upgrade.ts';
import { acceptWebSocket, socketStream } from './web-sockets.ts';

const PREFIX = 'SPDY/3.1+';

/** The protocols that a client wants to speak through a tunnel: SPDY, as the payload of a WebSocket. */
export function tunnelled(raw: UpgradeResponse): string[] {
  const asked = protocolsOf(raw.req).filter((name) => name.startsWith(PREFIX) && name.endsWith('k8s.io'));
  return asked.map((name) => name.slice(PREFIX.length));
}

/** Opens the tunnel's other end at the kubelet, and then carries bytes: nothing of SPDY is read here. */
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

/** What is left of the headers when the WebSocket ends here. */
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
