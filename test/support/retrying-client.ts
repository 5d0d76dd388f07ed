import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { Agent, request } from 'node:https';
import type { Endpoint } from '@tidegate/testkit';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly code: number;
  readonly text: string;
  readonly retryAfterSeconds: number | undefined;
}

interface NoAnswer {
  readonly why: string;
  /** the server did not process the request, so it can be sent again at once */
  readonly isUnprocessed: boolean;
}

/** HTTP/1.1 with a pool of connections, or HTTP/2 with one. */
interface Transport {
  request(apiRequest: ApiRequest): Promise<ApiAnswer | NoAnswer>;
  close(): void;
}

const MAX_ATTEMPTS = 10;
const RETRY_MS = 1000;
/** idle timeout of a connection, the default of Node's agent */
const IDLE_MS = 5000;

/**
 * A client with the retries of client-go: requests that were certainly not processed are sent again at once; a read whose
 * connection broke, after a second; a request that was answered with 429 or 5xx and Retry-After, after that time.
 */
export class RetryingClient {
  readonly #transport: Transport;
  retries = 0;

  constructor(endpoint: Endpoint, version: 1 | 2) {
    this.#transport = version === 1 ? new Http1(endpoint) : new Http2(endpoint);
  }

  /** Returns the last answer, or why there is none. */
  async request(apiRequest: ApiRequest): Promise<ApiAnswer | string> {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.#transport.request(apiRequest);
      const waitMs = attempt > MAX_ATTEMPTS ? undefined : waitOf(apiRequest, reply);
      if (waitMs === undefined) return 'why' in reply ? reply.why : reply;
      this.retries++;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  close(): void {
    this.#transport.close();
  }
}

/** How long to wait before the next attempt, or undefined when the request is not sent again. */
function waitOf({ method }: ApiRequest, reply: ApiAnswer | NoAnswer): number | undefined {
  if ('why' in reply) return reply.isUnprocessed ? 0 : method === 'GET' ? RETRY_MS : undefined;
  const isBusy = reply.code === 429 || reply.code >= 500;
  return isBusy && reply.retryAfterSeconds !== undefined ? reply.retryAfterSeconds * 1000 : undefined;
}

function headersOf({ token }: Endpoint, { method }: ApiRequest): Record<string, string> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return { authorization: `Bearer ${token}`, 'content-type': type };
}

function retryAfter(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value);
}

class Http1 implements Transport {
  readonly #endpoint: Endpoint;
  readonly #agent: Agent;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets: 8, ca: readFileSync(endpoint.caFile) });
  }

  request(apiRequest: ApiRequest): Promise<ApiAnswer | NoAnswer> {
    const { method, path, body } = apiRequest;
    return new Promise((resolve) => {
      const url = new URL(path, this.#endpoint.server);
      const options = { method, headers: headersOf(this.#endpoint, apiRequest), agent: this.#agent };
      const sent = request(url, options, (response) => {
        response.toArray().then(
          (parts) => {
            const code = response.statusCode ?? 0;
            const retryAfterSeconds = retryAfter(response.headers['retry-after']);
            resolve({ code, text: Buffer.concat(parts).toString(), retryAfterSeconds });
          },
          (error: Error) => resolve({ why: `aborted: ${error.message}`, isUnprocessed: false }),
        );
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // the server closed an idle connection: a read can be sent again on another
        const isUnprocessed = sent.reusedSocket && method === 'GET';
        const kind = sent.reusedSocket ? 'an idle connection' : 'a new connection';
        resolve({ why: `${method}: ${error.code ?? error.message} on ${kind}`, isUnprocessed });
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

class Http2 implements Transport {
  readonly #endpoint: Endpoint;
  readonly #ca: Buffer;
  #session: ClientHttp2Session | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#ca = readFileSync(endpoint.caFile);
  }

  async request(apiRequest: ApiRequest): Promise<ApiAnswer | NoAnswer> {
    const headers = {
      ':method': apiRequest.method,
      ':path': apiRequest.path,
      ...headersOf(this.#endpoint, apiRequest),
    };
    let stream: ClientHttp2Stream;
    try {
      stream = this.#open().request(headers, { endStream: apiRequest.body === undefined });
    } catch (error) {
      return { why: `not sent: ${(error as Error).message}`, isUnprocessed: true };
    }
    if (apiRequest.body !== undefined) stream.end(JSON.stringify(apiRequest.body));
    return answerOn(stream, apiRequest.method);
  }

  close(): void {
    this.#session?.close();
  }

  /** A session that received GOAWAY is not used for new requests. */
  #open(): ClientHttp2Session {
    const open = this.#session;
    if (open !== undefined) return open;
    const session = connect(this.#endpoint.server, { ca: this.#ca });
    const drop = () => {
      if (this.#session === session) this.#session = undefined;
    };
    session.on('goaway', drop);
    session.on('close', drop);
    session.on('error', drop);
    this.#session = session;
    return session;
  }
}

function answerOn(stream: ClientHttp2Stream, method: string): Promise<ApiAnswer | NoAnswer> {
  return new Promise((resolve) => {
    let code = 0;
    let retryAfterSeconds: number | undefined;
    let why = 'ended without an answer';
    const parts: Buffer[] = [];
    stream.on('response', (headers) => {
      code = Number(headers[':status']);
      retryAfterSeconds = retryAfter(headers['retry-after']);
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('error', (error: Error) => {
      why = error.message;
    });
    stream.on('close', () => {
      const isWhole = code > 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR && stream.readableEnded;
      if (isWhole) resolve({ code, text: Buffer.concat(parts).toString(), retryAfterSeconds });
      else {
        const isUnprocessed = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || stream.pending;
        resolve({ why: `${method}: ${why} (${stream.rstCode})`, isUnprocessed });
      }
    });
  });
}
