import type { Duplex } from 'node:stream';
import { ApiError, internalError, type Status } from '@tidegate/status';
import type { RawData, WebSocket } from 'ws';
import type { UpgradeResponse } from '../hooks/upgrade-reply.ts';
import { ask, dial, hostAndPort } from './back-end.ts';
import { SpdyConnection } from './spdy-connection.ts';
import { readSome, type Upgrading } from './upgrade.ts';
import { acceptWebSocket } from './web-sockets.ts';

export const STREAM_CLOSE_PROTOCOL = 'v5.channel.k8s.io';
const KUBELET_PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

/** Which streams a command has. */
export interface Streams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The first byte of each message says what it belongs to. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
type Output = 'stdout' | 'stderr' | 'error';

/** what a client may leave unread before the kubelet waits */
const UNREAD_BYTES = 256 << 10;

/**
 * A command in a container for clients with a WebSocket of channels, version 5: they can say that their input ends, which
 * kubelets hear over SPDY only. So each channel becomes a stream.
 *
 *     WebSocket message  0 "ls\n"   ->  data on the stream of stdin
 *     WebSocket message  255 0      ->  the end of that stream
 *     data on stdout's stream       ->  WebSocket message  1 ...
 *     the whole of error's stream   ->  WebSocket message  3 {"status": ...}, and the end
 */
export async function remoteCommand(upgrading: Upgrading, raw: UpgradeResponse, streams: Streams): Promise<void> {
  const webSocket = await acceptWebSocket(raw.req, raw.take(), STREAM_CLOSE_PROTOCOL);
  // says that the connection is there
  const first = streams.stdout ? channel.stdout : streams.stderr ? channel.stderr : channel.error;
  webSocket.send(Buffer.from([first]));
  webSocket.on('error', () => webSocket.terminate());
  const early = heed(webSocket);
  let session: Session;
  try {
    session = await openSession(upgrading, webSocket, streams);
  } catch (error) {
    finish(webSocket, ApiError.from(error).status);
    return;
  }
  session.run(early());
}

/** Keeps what is said before there is somebody to hear it, and reads on: else nobody would see that the client has gone. */
function heed(webSocket: WebSocket): () => Buffer[] {
  const early: Buffer[] = [];
  let bytes = 0;
  const take = (data: RawData) => {
    early.push(data as Buffer);
    bytes += (data as Buffer).length;
    if (bytes > UNREAD_BYTES) webSocket.pause();
  };
  webSocket.on('message', take);
  return () => {
    webSocket.off('message', take);
    return early;
  };
}

async function openSession(upgrading: Upgrading, webSocket: WebSocket, streams: Streams): Promise<Session> {
  const { backEnd, path } = upgrading;
  const socket = await dial(backEnd).catch((error: Error) => {
    throw internalError(`error sending request: Post "https://${hostAndPort(backEnd)}${path}": ${error.message}`);
  });
  webSocket.once('close', () => socket.destroy());
  if (webSocket.readyState > 1) socket.destroy();
  const asked = KUBELET_PROTOCOLS.flatMap((name) => ['X-Stream-Protocol-Version', name]);
  const headers = ['Host', hostAndPort(backEnd), 'Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'Content-Length', '0'];
  const said = await ask(socket, { method: 'POST', path, headers: [...headers, ...asked] }, (body) => body.end()).catch(
    (error: Error) => {
      throw internalError(`unable to upgrade connection: ${error.message}`);
    },
  );
  if (said.upgraded === undefined) {
    const words = (await readSome(said.response)).toString('utf8').trim();
    socket.destroy();
    throw refusalOf(words);
  }
  const protocol = String(said.response.headers['x-stream-protocol-version'] ?? 'channel.k8s.io');
  return new Session(said.upgraded, webSocket, { ...streams, protocol });
}

/** A Status is handed on as it is. */
function refusalOf(words: string): ApiError {
  try {
    const status = JSON.parse(words) as Partial<Status>;
    if (status.kind === 'Status' && typeof status.code === 'number') return ApiError.fromStatus(status as Status);
  } catch {
    // words are words
  }
  return internalError(`unable to upgrade connection: ${words}`);
}

function finish(webSocket: WebSocket, status: object): void {
  webSocket.send(Buffer.concat([Buffer.from([channel.error]), Buffer.from(JSON.stringify(status))]));
  webSocket.resume();
  webSocket.close(1000);
}

/**
 * Invariant: the client is told one status, after the last of the output. It is the kubelet's; where the connection ends
 * before that has come whole, it says so.
 */
class Session {
  readonly #webSocket: WebSocket;
  readonly #spdy: SpdyConnection;
  readonly #head: Buffer;
  readonly #streams: Streams & { readonly protocol: string };
  readonly #open = new Set<Output>();
  readonly #status: Buffer[] = [];
  #stdin: number | undefined;
  #resize: number | undefined;
  #isOver = false;

  constructor(
    { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
    webSocket: WebSocket,
    streams: Streams & { readonly protocol: string },
  ) {
    this.#webSocket = webSocket;
    this.#streams = streams;
    this.#head = head;
    this.#spdy = new SpdyConnection(socket, () => this.#over(this.#open.size > 0));
  }

  run(early: readonly Buffer[]): void {
    const { stdin, stdout, stderr, tty, protocol } = this.#streams;
    const webSocket = this.#webSocket;
    this.#listen('error');
    if (stdin) this.#stdin = this.#spdy.open({ streamtype: 'stdin' }, { data: () => {}, end: () => this.#endInput() });
    if (stdout) this.#listen('stdout');
    if (stderr && !tty) this.#listen('stderr');
    if (tty && /^v[34]/.test(protocol)) {
      this.#resize = this.#spdy.open({ streamtype: 'resize' }, { data: () => {}, end: () => {} });
    }
    this.#spdy.onDrain(() => webSocket.resume());
    webSocket.on('message', (data: RawData) => this.#take(data as Buffer));
    webSocket.on('close', () => this.#spdy.destroy());
    this.#spdy.start(this.#head);
    webSocket.resume();
    for (const message of early) this.#take(message);
  }

  #take(message: Buffer): void {
    const [kind, ended] = message;
    const stream = kind === channel.stdin ? this.#stdin : kind === channel.resize ? this.#resize : undefined;
    if (stream !== undefined && message.length > 1 && !this.#spdy.write(stream, message.subarray(1))) {
      this.#webSocket.pause();
    }
    if (kind === channel.close && ended === channel.stdin) this.#endInput();
  }

  #endInput(): void {
    if (this.#stdin !== undefined) this.#spdy.end(this.#stdin);
    this.#stdin = undefined;
  }

  #listen(output: Output): void {
    this.#open.add(output);
    this.#spdy.open(
      { streamtype: output },
      {
        data: (bytes) => (output === 'error' ? this.#status.push(bytes) : this.#send(channel[output], bytes)),
        end: () => {
          this.#open.delete(output);
          if (this.#open.size === 0) this.#over(false);
        },
      },
    );
  }

  #send(to: number, bytes: Buffer): void {
    this.#webSocket.send(Buffer.concat([Buffer.from([to]), bytes]), () => {
      if (this.#webSocket.bufferedAmount < UNREAD_BYTES) this.#spdy.resume();
    });
    if (this.#webSocket.bufferedAmount >= UNREAD_BYTES) this.#spdy.pause();
  }

  #over(isCut: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#spdy.destroy();
    finish(this.#webSocket, isCut ? CUT.status : this.#statusOf(Buffer.concat(this.#status).toString('utf8')));
  }

  /** Older protocols say nothing of a success, and a failure in words. */
  #statusOf(text: string): object {
    if (text === '') return { metadata: {}, status: 'Success' };
    try {
      return JSON.parse(text) as object;
    } catch {
      return internalError(text).status;
    }
  }
}

const CUT = internalError('error reading from error stream: the connection to the node was cut');
