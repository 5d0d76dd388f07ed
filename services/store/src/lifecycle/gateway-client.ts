import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';

interface GatewayClientOptions {
  url: string;
  caFile: string;
  certFile: string;
  keyFile: string;
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

const TIMEOUT_MS = 30_000;
const SOCKETS = 32;

/** The system controllers' way to the gateway: their requests are requests like any other, with all their rules. */
export class GatewayClient {
  readonly #url: URL;
  readonly #agent: Agent;
  /** the lease under which requests are sent, and its number */
  fence = '';

  constructor(options: GatewayClientOptions) {
    this.#url = new URL(options.url);
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: SOCKETS,
      ca: readFileSync(options.caFile),
      cert: readFileSync(options.certFile),
      key: readFileSync(options.keyFile),
    });
  }

  send(method: string, path: string, object?: unknown): Promise<GatewayAnswer> {
    return this.#send({ method, path, object, contentType: 'application/json' });
  }

  /** A merge patch. */
  patch(path: string, object: unknown): Promise<GatewayAnswer> {
    return this.#send({ method: 'PATCH', path, object, contentType: 'application/merge-patch+json' });
  }

  close(): void {
    this.#agent.destroy();
  }

  #send({ method, path, object, contentType }: Request): Promise<GatewayAnswer> {
    const body = object === undefined ? undefined : Buffer.from(JSON.stringify(object));
    const headers: Record<string, string | number> = { Accept: 'application/json', 'User-Agent': 'tidegate-lifecycle' };
    if (this.fence !== '') headers['Tidegate-Fence'] = this.fence;
    if (body !== undefined) Object.assign(headers, { 'Content-Type': contentType, 'Content-Length': body.length });
    return new Promise((resolve, reject) => {
      const call = request(
        new URL(path, this.#url),
        { method, headers, agent: this.#agent, timeout: TIMEOUT_MS },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('error', reject);
          answer.on('end', () => {
            const code = answer.statusCode ?? 0;
            // what was deleted may be ten thousand objects, and nobody looks at them
            const isWanted = method !== 'DELETE' || code >= 300;
            resolve({ code, body: isWanted ? parse(Buffer.concat(parts)) : {} });
          });
        },
      );
      call.on('timeout', () => call.destroy(new Error(`the gateway did not answer within ${TIMEOUT_MS} ms`)));
      call.on('error', reject);
      call.end(body);
    });
  }
}

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
