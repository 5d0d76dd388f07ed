import type { Duplex } from 'node:stream';
import { internalError } from '@tidegate/status';
import type { RawData, WebSocket } from 'ws';
import { SpdyConnection } from './spdy-connection.ts';

/** The streams of a command. */
export interface Streams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The first byte of each message is its channel. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
type Output = 'stdout' | 'stderr' | 'error';

/** the amount of unread data above which the kubelet's stream is paused */
const UNREAD_BYTES = 256 << 10;
/** far above the size of any status of a kubelet */
const STATUS_BYTES = 64 << 10;
const CUT = internalError('error reading from error stream: the connection to the node was cut');

/** Announces the connection with an empty message on a channel that the client reads. */
export function greet(webSocket: WebSocket, { stdout, stderr }: Streams): void {
  webSocket.send(Buffer.from([stdout ? channel.stdout : stderr ? channel.stderr : channel.error]));
}

/** Sends the final status to the client. */
export function sendStatus(webSocket: WebSocket, status: object): void {
  webSocket.send(Buffer.concat([Buffer.from([channel.error]), Buffer.from(JSON.stringify(status))]));
  webSocket.resume();
  webSocket.close(1000);
}

/**
 * Invariant: the client gets exactly one status, after the last output: the kubelet's, or an error where the connection
 * ended before the kubelet's status was complete.
 */
export class CommandSession {
  readonly #webSocket: WebSocket;
  readonly #spdy: SpdyConnection;
  readonly #head: Buffer;
  readonly #streams: Streams & { readonly protocol: string };
  readonly #open = new Set<Output>();
  #status = '';
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
        data: (bytes) => (output === 'error' ? this.#keep(bytes) : this.#send(channel[output], bytes)),
        end: () => {
          this.#open.delete(output);
          if (this.#open.size === 0) this.#over(false);
        },
      },
    );
  }

  #keep(bytes: Buffer): void {
    if (this.#status.length < STATUS_BYTES) this.#status += bytes.toString('latin1');
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
    sendStatus(this.#webSocket, isCut ? CUT.status : statusOf(Buffer.from(this.#status, 'latin1').toString('utf8')));
  }
}

/** Older protocols send nothing after a success, and plain text after a failure. */
function statusOf(text: string): object {
  if (text === '') return { metadata: {}, status: 'Success' };
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return internalError(text).status;
  }
}
