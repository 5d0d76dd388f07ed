import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  type SecureClientSessionOptions,
} from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import type { TestTidegate } from '@tidegate/testkit';

/** A TLS connection on which a test sends any bytes and reads the received ones. */
export class RawConnection {
  readonly socket: TLSSocket;
  #received = Buffer.alloc(0);
  readonly closed: Promise<void>;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (part: Buffer) => {
      this.#received = Buffer.concat([this.#received, part]);
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve());
    });
  }

  static async open({ server }: Pick<TestTidegate, 'server'>, protocol = 'http/1.1'): Promise<RawConnection> {
    const { hostname: host, port } = new URL(server);
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: [protocol] });
    await once(socket, 'secureConnect');
    return new RawConnection(socket);
  }

  write(text: string | Buffer): void {
    this.socket.write(text);
  }

  get received(): Buffer {
    return this.#received;
  }

  get text(): string {
    return this.#received.toString('latin1');
  }

  /** the status codes of all answers so far */
  get codes(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Opens an HTTP/2 session. */
export async function openSession(
  { server }: Pick<TestTidegate, 'server'>,
  options: SecureClientSessionOptions = {},
): Promise<ClientHttp2Session> {
  const session = connectHttp2(server, { rejectUnauthorized: false, ...options });
  session.on('error', () => {});
  await once(session, 'connect');
  return session;
}

/** Sends requests and cancels each at once, as long as the connection is open; returns how many it sent. */
export function cancelRequests(session: ClientHttp2Session, headers: Record<string, string>, count: number): number {
  let sent = 0;
  for (; sent < count && !session.closed && !session.destroyed; sent++) {
    const stream = session.request(headers);
    stream.on('error', () => {});
    setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
  }
  return sent;
}

/** Encodes an HTTP/2 frame. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
