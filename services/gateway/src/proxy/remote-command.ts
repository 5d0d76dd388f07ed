import { ApiError, internalError, type Status } from '@tidegate/status';
import type { RawData, WebSocket } from 'ws';
import type { UpgradeResponse } from '../answer/upgrade-reply.ts';
import { ask, dial, hostAndPort } from './backend.ts';
import { CommandSession, greet, type Streams, sendStatus } from './command-session.ts';
import { readSome, type Upgrading } from './upgrade.ts';
import { acceptWebSocket } from './web-sockets.ts';

export const STREAM_CLOSE_PROTOCOL = 'v5.channel.k8s.io';
const KUBELET_PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

/** the amount of input that is buffered before the kubelet's connection is open */
const EARLY_BYTES = 256 << 10;

/**
 * A command in a container, for clients with version 5 of the WebSocket protocol. This version can close stdin, which
 * kubelets support over SPDY only, so each channel is translated to a SPDY stream.
 *
 *     WebSocket message  0 "ls\n"   ->  data on the stream of stdin
 *     WebSocket message  255 0      ->  the end of that stream
 *     data on stdout's stream       ->  WebSocket message  1 ...
 *     the whole of error's stream   ->  WebSocket message  3 {"status": ...}, and the end
 */
export async function remoteCommand(upgrading: Upgrading, raw: UpgradeResponse, streams: Streams): Promise<void> {
  const webSocket = await acceptWebSocket(raw.req, raw.take(), STREAM_CLOSE_PROTOCOL);
  greet(webSocket, streams);
  webSocket.on('error', () => webSocket.terminate());
  const early = bufferInput(webSocket);
  let session: CommandSession;
  try {
    session = await openSession(upgrading, webSocket, streams);
  } catch (error) {
    sendStatus(webSocket, ApiError.from(error).status);
    return;
  }
  session.run(early());
}

/** Buffers early input instead of pausing the socket, because a paused socket would not report that the client has left. */
function bufferInput(webSocket: WebSocket): () => Buffer[] {
  const early: Buffer[] = [];
  let bytes = 0;
  const take = (data: RawData) => {
    early.push(data as Buffer);
    bytes += (data as Buffer).length;
    if (bytes > EARLY_BYTES) webSocket.pause();
  };
  webSocket.on('message', take);
  return () => {
    webSocket.off('message', take);
    return early;
  };
}

async function openSession(upgrading: Upgrading, webSocket: WebSocket, streams: Streams): Promise<CommandSession> {
  const { backend, path } = upgrading;
  const socket = await dial(backend).catch((error: Error) => {
    throw internalError(`error sending request: Post "https://${hostAndPort(backend)}${path}": ${error.message}`);
  });
  webSocket.once('close', () => socket.destroy());
  if (webSocket.readyState > 1) socket.destroy();
  const asked = KUBELET_PROTOCOLS.flatMap((name) => ['X-Stream-Protocol-Version', name]);
  const headers = ['Host', hostAndPort(backend), 'Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'Content-Length', '0'];
  const answer = await ask(socket, { method: 'POST', path, headers: [...headers, ...asked] }, (body) =>
    body.end(),
  ).catch((error: Error) => {
    throw internalError(`unable to upgrade connection: ${error.message}`);
  });
  if (answer.upgraded === undefined) {
    const words = (await readSome(answer.response)).toString('utf8').trim();
    socket.destroy();
    throw refusalOf(words);
  }
  const protocol = String(answer.response.headers['x-stream-protocol-version'] ?? 'channel.k8s.io');
  return new CommandSession(answer.upgraded, webSocket, { ...streams, protocol });
}

/** The error of a refused upgrade: the kubelet's Status, or its text. */
function refusalOf(words: string): ApiError {
  try {
    const status = JSON.parse(words) as Partial<Status>;
    if (status.kind === 'Status' && typeof status.code === 'number') return ApiError.fromStatus(status as Status);
  } catch {
    // a SyntaxError, or a TypeError because it is null: not a Status, so the text is used
  }
  return internalError(`unable to upgrade connection: ${words}`);
}
