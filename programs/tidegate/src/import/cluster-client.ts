import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterAccess } from '@tidegate/kubeconfig';
import { UserError } from '@tidegate/local';
import type { JsonObject } from './portable.ts';

export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
  readonly retryAfterMs: number;
}

const TIMEOUT_MS = 60_000;
const ATTEMPTS = 5;

/** Sends requests to a Kubernetes-compatible API in JSON. Connections are reused, and limited in number. */
export class ClusterClient {
  readonly #server: URL;
  readonly #access: ClusterAccess;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(access: ClusterAccess, connections: number) {
    this.#access = access;
    this.#server = new URL(access.server);
    const { ca, cert, key, insecure, serverName } = access;
    const kept = { keepAlive: true, maxSockets: connections };
    this.#agent =
      this.#server.protocol === 'http:'
        ? new HttpAgent(kept)
        : new HttpsAgent({
            ...kept,
            rejectUnauthorized: !insecure,
            ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
            ...(cert === undefined ? {} : { cert }),
            ...(key === undefined ? {} : { key }),
            ...(serverName === undefined ? {} : { servername: serverName }),
          });
  }

  /** Sends a request. Where the server is busy, the request is repeated after the time that the server requests. */
  async ask(method: string, path: string, body?: JsonObject): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#askOnce(method, path, body);
      if ((answer.code !== 429 && answer.code !== 503) || attempt === ATTEMPTS) return answer;
      await sleep(answer.retryAfterMs);
    }
  }

  /** Gets an object that must exist. */
  async get(path: string): Promise<JsonObject> {
    const { code, body } = await this.ask('GET', path);
    if (code === 200) return body;
    throw new UserError(`${this.#server.origin} answers GET ${path} with ${code}: ${messageOf(body)}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  #askOnce(method: string, path: string, object: JsonObject | undefined): Promise<Answer> {
    const send = this.#server.protocol === 'http:' ? requestHttp : requestHttps;
    const body = object === undefined ? undefined : Buffer.from(JSON.stringify(object));
    const url = new URL(`${this.#server.pathname.replace(/\/$/, '')}${path}`, this.#server);
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void =>
        reject(new UserError(`${this.#server.origin} cannot be reached (${error.message})`, { cause: error }));
      const headers = {
        Accept: 'application/json',
        'User-Agent': 'tidegate-import',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }),
        ...(this.#access.authorization === undefined ? {} : { Authorization: this.#access.authorization }),
      };
      const call = send(url, { method, headers, agent: this.#agent, timeout: TIMEOUT_MS }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', fail);
        response.on('end', () =>
          resolve({
            code: response.statusCode ?? 0,
            body: parse(Buffer.concat(parts)),
            retryAfterMs: 1000 * Math.min(10, Number(response.headers['retry-after'] ?? 1) || 1),
          }),
        );
      });
      call.on('timeout', () => call.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
      call.on('error', fail);
      call.end(body);
    });
  }
}

/** The message of a Status. */
export function messageOf(body: JsonObject): string {
  return typeof body.message === 'string' ? body.message : 'no reason was given';
}

function parse(bytes: Buffer): JsonObject {
  try {
    return parseExactly(bytes.toString('utf8')) as JsonObject;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { message: bytes.toString('utf8').slice(0, 200).trim() };
  }
}

/** features of the built-in JSON that the types of this language level lack */
const { parse: parseJson, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(source: string): unknown;
};

/** Parses JSON so that numbers which JavaScript would write differently, like large integers, keep their digits. */
export function parseExactly(text: string): unknown {
  if (!/\d[\d.eE+-]{15}/.test(text)) return JSON.parse(text);
  return parseJson(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value) ? rawJSON(source) : value,
  );
}
