import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { TestTidegate } from '@tidegate/testkit';

export interface Reply {
  code: number;
  headers: IncomingMessage['headers'];
  /** the body as it was received, compressed or not */
  bytes: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of answers of any kind
  json: any;
}

interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  token?: string | undefined;
}

export interface WatchEvent {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of objects of any kind
  object: any;
}

/** A plain HTTP client: it sends exactly what the test specifies, unlike a client library. */
export class Client {
  readonly #server: URL;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(tidegate: Pick<TestTidegate, 'server' | 'token' | 'caFile'>) {
    this.#server = new URL(tidegate.server);
    this.#token = tidegate.token;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(tidegate.caFile) });
  }

  request(
    method: string,
    path: string,
    { body, headers = {}, token = this.#token }: RequestOptions = {},
  ): Promise<Reply> {
    const bytes =
      body === undefined
        ? undefined
        : Buffer.isBuffer(body)
          ? body
          : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const all: Record<string, string> = { ...(token === '' ? {} : { Authorization: `Bearer ${token}` }), ...headers };
    if (bytes !== undefined) {
      all['Content-Type'] ??= 'application/json';
      all['Content-Length'] = String(bytes.length);
    }
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, this.#server), { method, headers: all, agent: this.#agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(parts);
          const text = bytes.toString('utf8');
          resolve({ code: response.statusCode ?? 0, headers: response.headers, bytes, text, json: parse(text) });
        });
      });
      call.on('error', reject);
      call.end(bytes);
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.request('GET', path, { headers });
  }

  /** Starts a watch; `next` waits up to twenty seconds for an event. */
  watch(path: string, headers: Record<string, string> = {}): Promise<Watch> {
    return new Promise((resolve, reject) => {
      const all = { Authorization: `Bearer ${this.#token}`, ...headers };
      const call = request(
        new URL(path, this.#server),
        { headers: all, agent: false, ca: this.#agent.options.ca },
        (response) => {
          resolve(new Watch(response));
        },
      );
      call.on('error', reject);
      call.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export class Watch {
  readonly code: number;
  readonly #response: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  #wake: (() => void) | undefined;
  #rest = '';
  #ended = false;

  constructor(response: IncomingMessage) {
    this.code = response.statusCode ?? 0;
    this.#response = response;
    response.setEncoding('utf8').on('data', (part: string) => this.#receive(part));
    const end = () => {
      this.#ended = true;
      this.#wake?.();
    };
    response.on('end', end).on('error', end).on('close', end);
  }

  async next(): Promise<WatchEvent> {
    const event = await this.#nextOrEnd();
    if (event === undefined) throw new Error('the watch ended, or sent no event for twenty seconds');
    return event;
  }

  /** All further events, until the server ends the stream. */
  async rest(): Promise<WatchEvent[]> {
    const all: WatchEvent[] = [];
    for (let event = await this.#nextOrEnd(); event !== undefined; event = await this.#nextOrEnd()) all.push(event);
    return all;
  }

  close(): void {
    this.#response.destroy();
  }

  async #nextOrEnd(): Promise<WatchEvent | undefined> {
    const limit = Date.now() + 20_000;
    while (this.#events.length === 0 && !this.#ended && Date.now() < limit) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limit - Date.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#events.shift();
  }

  #receive(part: string): void {
    const lines = (this.#rest + part).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#events.push(JSON.parse(line) as WatchEvent);
    this.#wake?.();
  }
}

export function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export const MAPS = '/api/v1/namespaces/default/configmaps';
