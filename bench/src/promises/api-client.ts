import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Endpoint } from '@tidegate/testkit';

export interface Reply {
  /** 0 if the gateway did not answer */
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any kind
  readonly json: any;
}

interface Call {
  readonly body?: object;
  /** the user that the administrator impersonates */
  readonly as?: string;
}

/** A client of one gateway, as its administrator. A gateway that cannot be reached is an answer too: code 0. */
export class ApiClient {
  readonly #endpoint: Endpoint;
  readonly #agent: Agent;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(endpoint.caFile) });
  }

  send(method: string, path: string, { body, as }: Call = {}): Promise<Reply> {
    return new Promise((resolve) => {
      const lost = () => resolve({ code: 0, headers: {}, json: undefined });
      const sent = this.#open(method, path, { agent: this.#agent, as }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part)).on('error', lost);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const isJson = response.headers['content-type'] === 'application/json';
          const json = isJson ? JSON.parse(text) : undefined;
          resolve({ code: response.statusCode ?? 0, headers: response.headers, json });
        });
      });
      sent.on('error', lost);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async codeOf(path: string): Promise<number> {
    return (await this.send('GET', path)).code;
  }

  /** Sends a request that must succeed. */
  async must(method: string, path: string, body?: object): Promise<Reply> {
    const reply = await this.send(method, path, body && { body });
    if (reply.code < 200 || reply.code > 299) {
      throw new Error(`${method} ${path} was answered with ${reply.code}: ${reply.json?.message ?? 'no message'}`);
    }
    return reply;
  }

  /** Opens a watch on a connection of its own; resolves with a promise of its end. */
  watch(path: string): Promise<{ ended: Promise<void> }> {
    return new Promise((resolve, reject) => {
      const sent = this.#open('GET', path, { agent: false, as: undefined }, (response) => {
        const ended = new Promise<void>((end) =>
          response
            .on('close', end)
            .on('error', () => end())
            .resume(),
        );
        resolve({ ended });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(
    method: string,
    path: string,
    { agent, as }: { agent: Agent | false; as: string | undefined },
    onResponse: (response: IncomingMessage) => void,
  ) {
    const { server, token } = this.#endpoint;
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...(as === undefined ? {} : { 'Impersonate-User': as }),
    };
    return request(new URL(path, server), { method, headers, agent, ca: this.#agent.options.ca }, onResponse);
  }
}
