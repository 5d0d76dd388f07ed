import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { type Logger, readKeyPair, trusting, WatchedFiles } from '@tidegate/service-kit';
import type { Gateway, GatewayAnswer } from '../port.ts';

interface GatewayClientOptions {
  url: string;
  caFile: string;
  /** empty: no client certificate */
  certFile: string;
  keyFile: string;
  /** empty: the client certificate authenticates the controllers */
  tokenFile?: string;
  timeoutMs?: number;
  log?: Pick<Logger, 'info' | 'warn'>;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly object: unknown;
  readonly contentType: string;
}

/** The gateway refused the stream before it processed the request. */
class RefusedStream extends Error {}

const TIMEOUT_MS = 30_000;

/** The credentials of the controllers for the gateway, and the authorities that verify the gateway. */
interface Identity {
  readonly tls: SecureClientSessionOptions;
  readonly token: string;
}

const SILENT = { info() {}, warn() {} };

/**
 * Sends the controllers' requests to a gateway, where all rules for requests apply to them. They share one HTTP/2
 * connection, so that many small requests travel together. After the connection breaks, or after a certificate changes,
 * the next request opens a new one.
 */
export class GatewayClient implements Gateway {
  readonly #url: URL;
  readonly #identity: WatchedFiles<Identity>;
  readonly #timeoutMs: number;
  #session: ClientHttp2Session | undefined;
  /** the lease under which requests are sent, and its fence: `name=7` */
  fence = '';

  constructor(options: GatewayClientOptions) {
    this.#url = new URL(options.url);
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const { caFile, certFile, keyFile, tokenFile = '', log = SILENT } = options;
    this.#identity = new WatchedFiles<Identity>({
      files: [caFile, certFile, keyFile, tokenFile].filter((file) => file !== ''),
      read: () => ({
        tls: { ...trusting(readFileSync(caFile)), ...(certFile === '' ? {} : readKeyPair(certFile, keyFile)) },
        token: tokenFile === '' ? '' : tokenIn(tokenFile),
      }),
      log,
    });
    // requests in flight end on the connection on which they began
    this.#identity.onChange(() => this.#session?.close());
  }

  send(method: string, path: string, object?: unknown): Promise<GatewayAnswer> {
    return this.#send({ method, path, object, contentType: 'application/json' });
  }

  /** A merge patch. */
  patch(path: string, object: unknown): Promise<GatewayAnswer> {
    return this.#send({ method: 'PATCH', path, object, contentType: 'application/merge-patch+json' });
  }

  close(): void {
    this.#identity.close();
    this.#session?.destroy();
  }

  /** A refused request was not processed, because its connection was closing. It is sent once more, on a new one. */
  async #send(request: Request): Promise<GatewayAnswer> {
    try {
      return await this.#attempt(request);
    } catch (error) {
      if (!(error instanceof RefusedStream)) throw error;
      return this.#attempt(request);
    }
  }

  #attempt({ method, path, object, contentType }: Request): Promise<GatewayAnswer> {
    const body = object === undefined ? undefined : Buffer.from(JSON.stringify(object));
    const headers: OutgoingHttpHeaders = {
      ':method': method,
      ':path': this.#url.pathname.replace(/\/$/, '') + path,
      accept: 'application/json',
      'user-agent': 'tidegate-lifecycle',
    };
    const { token } = this.#identity.value;
    if (token !== '') headers.authorization = `Bearer ${token}`;
    if (this.fence !== '') headers['tidegate-fence'] = this.fence;
    if (body !== undefined) Object.assign(headers, { 'content-type': contentType, 'content-length': body.length });
    return new Promise((resolve, reject) => {
      const session = this.#opened();
      const call = session.request(headers, { endStream: body === undefined });
      const parts: Buffer[] = [];
      let code = 0;
      call.on('response', (answer) => {
        code = answer[':status'] ?? 0;
      });
      call.on('data', (part: Buffer) => parts.push(part));
      call.on('error', (error) => {
        const isRefused = call.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        reject(isRefused ? new RefusedStream('the gateway took no more requests', { cause: error }) : error);
      });
      call.on('close', () => {
        if (code === 0) return reject(new Error('the gateway ended the connection'));
        // the answer may be ten thousand deleted objects, and no controller reads them
        const isWanted = method !== 'DELETE' || code >= 300;
        resolve({ code, body: isWanted ? parse(Buffer.concat(parts)) : {} });
      });
      call.setTimeout(this.#timeoutMs, () => {
        const error = new Error(`the gateway did not answer within ${this.#timeoutMs} ms`);
        call.destroy(error);
        // the other requests on this connection would not be answered either
        session.destroy(error);
      });
      if (body !== undefined) call.end(body);
    });
  }

  #opened(): ClientHttp2Session {
    const before = this.#session;
    if (before !== undefined && !before.closed && !before.destroyed) return before;
    const session = connect(this.#url, this.#identity.value.tls);
    // an error of the connection: each of its requests reports it
    session.on('error', () => {});
    this.#session = session;
    return session;
  }
}

function tokenIn(file: string): string {
  const token = readFileSync(file, 'utf8').trim();
  if (token === '') throw new Error(`${file} has no token`);
  return token;
}

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}
