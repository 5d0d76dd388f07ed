import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Answer, Client, ClientOptions } from './client.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const EMPTY = Buffer.alloc(0);

/** A client as the parts of a cluster are: it speaks HTTP/2, and accepts Protobuf where there is one. */
export class Http2Connection implements Client {
  readonly #session: ClientHttp2Session;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(session: ClientHttp2Session, token: string) {
    this.#session = session;
    this.#headers = { accept: `${PROTOBUF},application/json`, authorization: `Bearer ${token}` };
  }

  static async open({ host, port, token }: ClientOptions): Promise<Http2Connection> {
    // the server is on this machine, and the client's verification of its certificate is not part of the measurement
    const session = connect(`https://${host}:${port}`, { rejectUnauthorized: false });
    await once(session, 'connect');
    return new Http2Connection(session, token);
  }

  request(method: string, path: string, body?: Buffer, type = PROTOBUF, keep = false): Promise<Answer> {
    const content = body === undefined ? {} : { 'content-type': type, 'content-length': body.length };
    const stream = this.#session.request(
      { ...this.#headers, ...content, ':method': method, ':path': path },
      { endStream: body === undefined },
    );
    if (body !== undefined) stream.end(body);
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let code = 0;
      let bytes = 0;
      stream.on('response', (headers) => {
        code = headers[':status'] ?? 0;
      });
      stream.on('data', (part: Buffer) => {
        bytes += part.length;
        if (keep) parts.push(part);
      });
      stream.on('end', () => resolve({ code, bytes, body: keep ? Buffer.concat(parts) : EMPTY }));
      stream.on('error', reject);
    });
  }

  close(): void {
    this.#session.destroy();
  }
}
