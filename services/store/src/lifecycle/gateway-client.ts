import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { type Logger, readKeyPair, trusting, WatchedFiles } from '@tidegate/service-kit';

interface GatewayClientOptions {
  url: string;
  caFile: string;
  /** empty: none is shown */
  certFile: string;
  keyFile: string;
  /** empty: the certificate says who is there */
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

export interface GatewayAnswer {
  code: number;
  body: Record<string, unknown>;
}

/** The gateway has not begun with it. */
class RefusedStream extends Error {}

const TIMEOUT_MS = 30_000;
/** By what the controllers prove themselves, and know the gateway. */
interface Identity {
  readonly tls: SecureClientSessionOptions;
  readonly token: string;
}

const SILENT = { info() {}, warn() {} };

/**
 * The system controllers' way to the gateway: their requests are requests like any other, with all their rules. They
 * share one HTTP/2 connection, so that many small ones travel together; one that breaks is opened again for the next, as is
 * one whose certificate is exchanged.
 */
export class GatewayClient {
  readonly #url: URL;
  readonly #identity: WatchedFiles<Identity>;
  readonly #timeoutMs: number;
  #session: ClientHttp2Session | undefined;
  /** the lease under which requests are sent, and its number */
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
    // what is under way ends on the connection that it began on
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

  /** What is refused was not looked at: its connection was about to end. It is sent once more, on another one. */
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
        // what was deleted may be ten thousand objects, and nobody looks at them
        const isWanted = method !== 'DELETE' || code >= 300;
        resolve({ code, body: isWanted ? parse(Buffer.concat(parts)) : {} });
      });
      call.setTimeout(this.#timeoutMs, () => {
        const error = new Error(`the gateway did not answer within ${this.#timeoutMs} ms`);
        call.destroy(error);
        // whatever else waits on this connection waits in vain
        session.destroy(error);
      });
      if (body !== undefined) call.end(body);
    });
  }

  #opened(): ClientHttp2Session {
    const before = this.#session;
    if (before !== undefined && !before.closed && !before.destroyed) return before;
    const session = connect(this.#url, this.#identity.value.tls);
    // an error of the connection is told by each of its requests
    session.on('error', () => {});
    this.#session = session;
    return session;
  }
}

function tokenIn(file: string): string {
  const token = readFileSync(file, 'utf8').trim();
  if (token === '') throw new Error(`${file} holds no token`);
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
