import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Endpoint } from '@tidegate/testkit';

export type Reply =
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any kind
  | { readonly kind: 'answered'; readonly code: number; readonly json: any }
  /** the request was not sent */
  | { readonly kind: 'unreachable' }
  /** the request was sent, and its outcome is unknown */
  | { readonly kind: 'lost' };

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** A client of one gateway. It never retries, because the history must contain each answer and each failure. */
export class Api {
  readonly #endpoint: Endpoint;
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor(endpoint: Endpoint, timeoutMs: number) {
    this.#endpoint = endpoint;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(endpoint.caFile) });
  }

  send(call: Call): Promise<Reply> {
    return new Promise((resolve) => {
      const lost = (error?: NodeJS.ErrnoException) =>
        resolve({ kind: error?.code === 'ECONNREFUSED' ? 'unreachable' : 'lost' });
      const sent = this.#open(call, this.#agent, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('error', lost).on('close', lost);
        response.on('end', () => resolve({ kind: 'answered', code: response.statusCode ?? 0, json: parse(text) }));
      });
      sent.on('error', lost);
      sent.setTimeout(this.#timeoutMs, () => sent.destroy());
      sent.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    });
  }

  /** Starts a streamed response on a new connection; undefined if that fails. */
  stream(path: string): Promise<IncomingMessage | undefined> {
    return new Promise((resolve) => {
      const sent = this.#open({ method: 'GET', path }, false, resolve);
      sent.on('error', () => resolve(undefined));
      sent.setTimeout(this.#timeoutMs, () => sent.destroy());
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #open({ method, path, contentType }: Call, agent: Agent | false, onResponse: (response: IncomingMessage) => void) {
    const { server, token } = this.#endpoint;
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
    };
    return request(new URL(path, server), { method, headers, agent, ca: this.#agent.options.ca }, onResponse);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
