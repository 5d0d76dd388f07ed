import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { Agent, request } from 'node:https';
import type { Endpoint } from '../reliability/load/api.ts';

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

export interface Answered {
  readonly code: number;
  readonly text: string;
  readonly retryAfterSeconds: number | undefined;
}

/** There was no answer. */
interface Lost {
  readonly why: string;
  /** the server has done nothing about it: a transport sends it again by itself */
  readonly wasRefused: boolean;
}

/** How requests travel: one at a time on each of some connections, or all on one. */
interface Transport {
  ask(asked: Asked): Promise<Answered | Lost>;
  close(): void;
}

const MOST_ATTEMPTS = 10;
const RETRY_MS = 1000;
/** how long a connection may be idle: what Node's own agent does */
const IDLE_MS = 5000;

/**
 * A client that tries again as client-go does, and no more: what was certainly not served goes again at once; a read whose
 * connection broke after a second; anything that is answered with 429 or 5xx and Retry-After when that is over.
 */
export class RetryingClient {
  readonly #transport: Transport;
  retries = 0;

  constructor(endpoint: Endpoint, version: 1 | 2) {
    this.#transport = version === 1 ? new Http1(endpoint) : new Http2(endpoint);
  }

  /** The last answer, or why there is none. */
  async ask(asked: Asked): Promise<Answered | string> {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.#transport.ask(asked);
      const waitMs = attempt > MOST_ATTEMPTS ? undefined : waitOf(asked, reply);
      if (waitMs === undefined) return 'why' in reply ? reply.why : reply;
      this.retries++;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  close(): void {
    this.#transport.close();
  }
}

/** How long to wait until it is sent again; undefined: it is not. */
function waitOf({ method }: Asked, reply: Answered | Lost): number | undefined {
  if ('why' in reply) return reply.wasRefused ? 0 : method === 'GET' ? RETRY_MS : undefined;
  const isBusy = reply.code === 429 || reply.code >= 500;
  return isBusy && reply.retryAfterSeconds !== undefined ? reply.retryAfterSeconds * 1000 : undefined;
}

function headersOf({ token }: Endpoint, { method }: Asked): Record<string, string> {
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

  ask(asked: Asked): Promise<Answered | Lost> {
    const { method, path, body } = asked;
    return new Promise((resolve) => {
      const url = new URL(path, this.#endpoint.server);
      const options = { method, headers: headersOf(this.#endpoint, asked), agent: this.#agent };
      const sent = request(url, options, (response) => {
        response.toArray().then(
          (parts) => {
            const code = response.statusCode ?? 0;
            const retryAfterSeconds = retryAfter(response.headers['retry-after']);
            resolve({ code, text: Buffer.concat(parts).toString(), retryAfterSeconds });
          },
          (error: Error) => resolve({ why: `broken off: ${error.message}`, wasRefused: false }),
        );
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // a connection that was idle and is found closed: what changes nothing may go again on another
        const wasRefused = sent.reusedSocket && method === 'GET';
        const kind = sent.reusedSocket ? 'a connection that was idle' : 'a new connection';
        resolve({ why: `${method}: ${error.code ?? error.message} on ${kind}`, wasRefused });
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

  async ask(asked: Asked): Promise<Answered | Lost> {
    const headers = { ':method': asked.method, ':path': asked.path, ...headersOf(this.#endpoint, asked) };
    let stream: ClientHttp2Stream;
    try {
      stream = this.#open().request(headers, { endStream: asked.body === undefined });
    } catch (error) {
      return { why: `not sent: ${(error as Error).message}`, wasRefused: true };
    }
    if (asked.body !== undefined) stream.end(JSON.stringify(asked.body));
    return answerOn(stream, asked.method);
  }

  close(): void {
    this.#session?.close();
  }

  /** A connection whose server has said goodbye takes nothing new. */
  #open(): ClientHttp2Session {
    const open = this.#session;
    if (open !== undefined) return open;
    const session = connect(this.#endpoint.server, { ca: this.#ca });
    const leave = () => {
      if (this.#session === session) this.#session = undefined;
    };
    session.on('goaway', leave);
    session.on('close', leave);
    session.on('error', leave);
    this.#session = session;
    return session;
  }
}

function answerOn(stream: ClientHttp2Stream, method: string): Promise<Answered | Lost> {
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
        const wasRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || stream.pending;
        resolve({ why: `${method}: ${why} (${stream.rstCode})`, wasRefused });
      }
    });
  });
}
