import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { APPLES_GROUP, APPLES_VERSION, Apples, applesAggregated, applesDiscovery } from './apples.ts';
import { type ServerPair, serverPair } from './server-pair.ts';

interface AggregatedServerOptions {
  /** the DNS names of its Service, for its certificate */
  readonly names: readonly string[];
  /** the PEM of the front proxy's authority, which such servers read from the cluster */
  readonly requestHeaderCa: string;
  /** also serves aggregated discovery */
  readonly isAggregated?: boolean;
}

/** A received request; `rawHeaders` has names and values alternately. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly bytes: number;
}

const ROOT = `/apis/${APPLES_GROUP}/${APPLES_VERSION}/namespaces/`;
const ETAG = '"apples-1"';

/**
 * An aggregated API server. It trusts the user headers of clients with the front proxy's certificate and rejects all
 * other clients. It serves `apples`. `NAME/silence` never responds, `NAME/elsewhere` redirects, `NAME/echo` returns the
 * request, and an upgrade of any path echoes the data.
 */
export class TestAggregatedServer {
  readonly apples = new Apples();
  readonly received: ReceivedRequest[] = [];
  readonly #pair: ServerPair;
  readonly #options: AggregatedServerOptions;
  #server: Server | undefined;
  #port = 0;

  private constructor(pair: ServerPair, options: AggregatedServerOptions) {
    this.#pair = pair;
    this.#options = options;
  }

  static async start(options: AggregatedServerOptions): Promise<TestAggregatedServer> {
    const made = new TestAggregatedServer(await serverPair(options.names), options);
    await made.listen();
    return made;
  }

  get port(): number {
    return this.#port;
  }

  /** the certificate of its authority, in base64 */
  get caBundle(): string {
    return Buffer.from(this.#pair.ca).toString('base64');
  }

  /** Listens again after a stop, on the same port. */
  async listen(): Promise<void> {
    const { cert, key } = this.#pair;
    const tls = { cert, key, ca: this.#options.requestHeaderCa, requestCert: true, rejectUnauthorized: false };
    const server = createServer(tls, (request, response) => {
      // the test sees the broken response
      this.#answer(request, response).catch(() => response.destroy());
    });
    server.on('upgrade', (request, socket) => {
      this.#note(request, 0);
      // the test closes the connection and checks the effect on the other end
      socket.on('error', () => {});
      if (!isFrontProxy(request)) return socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
      return socket.pipe(socket);
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  #note({ method = '', url = '', rawHeaders }: IncomingMessage, bytes: number): void {
    this.received.push({ method, url, rawHeaders, bytes });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const body = await buffer(request);
    this.#note(request, body.length);
    if (!isFrontProxy(request)) return say(response, 401, { kind: 'Status', code: 401, message: 'who are you?' });
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'https://localhost');
    if (path === '/apis') return this.#discover(request, response);
    const document = applesDiscovery[path];
    if (document !== undefined) return say(response, 200, document);
    const [namespace = '', resource, name = '', below = ''] = path.slice(ROOT.length).split('/');
    if (!path.startsWith(ROOT) || resource !== 'apples') return say(response, 404, { kind: 'Status', code: 404 });
    if (below !== '') return this.#below(below, response, { request, bytes: body.length });
    return this.#serve(request, response, { namespace, name, body, watches: query.has('watch') });
  }

  #discover({ headers }: IncomingMessage, response: ServerResponse): ServerResponse {
    const wantsAggregated = (headers.accept ?? '').includes('as=APIGroupDiscoveryList');
    if (this.#options.isAggregated !== true || !wantsAggregated) {
      return say(response, 200, { kind: 'APIGroupList', groups: [applesDiscovery[`/apis/${APPLES_GROUP}`]] });
    }
    response.setHeader('ETag', ETAG);
    if (headers['if-none-match'] === ETAG) return response.writeHead(304).end();
    response.setHeader('Content-Type', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    return say(response, 200, applesAggregated);
  }

  #below(
    what: string,
    response: ServerResponse,
    { request, bytes }: { request: IncomingMessage; bytes: number },
  ): unknown {
    switch (what) {
      case 'echo':
        return say(response, 200, { url: request.url, rawHeaders: request.rawHeaders, bytes });
      case 'elsewhere':
        return response.writeHead(302, { Location: 'https://127.0.0.1:1/' }).end();
      case 'silence':
        return undefined;
      default:
        return say(response, 404, { kind: 'Status', code: 404 });
    }
  }

  #serve(
    { method }: IncomingMessage,
    response: ServerResponse,
    target: { namespace: string; name: string; body: Buffer; watches: boolean },
  ): unknown {
    const { namespace, name, body, watches } = target;
    if (method === 'POST') return say(response, 201, this.apples.create(namespace, JSON.parse(body.toString())));
    if (method === 'DELETE') {
      this.apples.delete(namespace, name);
      return say(response, 200, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
    }
    if (watches) return this.apples.watch(namespace, response);
    if (name === '') return say(response, 200, this.apples.list(namespace));
    const found = this.apples.get(namespace, name);
    return say(response, found === undefined ? 404 : 200, found ?? { kind: 'Status', apiVersion: 'v1', code: 404 });
  }
}

function isFrontProxy({ socket }: IncomingMessage): boolean {
  const tls = socket as TLSSocket;
  return tls.authorized && tls.getPeerCertificate().subject?.CN === 'front-proxy-client';
}

function say(response: ServerResponse, code: number, body: object): ServerResponse {
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json');
  return response.writeHead(code).end(JSON.stringify(body));
}
