import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server } from 'node:tls';
import { LONG_RUNNING_SUBRESOURCES, type RequestInfo, requestInfo } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { badRequest, timeout } from '@tidegate/status';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { ApiServices } from '../aggregation/api-services.ts';
import type { RemoteApi } from '../aggregation/remote-api.ts';
import { DirectResponse } from '../answer/direct-response.ts';
import { takeBearer, upgradeReply } from '../answer/upgrade-reply.ts';
import { type ErrorContext, writeError } from '../answer/write-answer.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Authenticator } from '../authn/authenticator.ts';
import { malformedMediaType } from '../codec/media-types.ts';
import type { Negotiator } from '../codec/negotiate.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { auditId, FENCE_HEADER, isSystemController } from '../request/headers.ts';
import { unknownUser } from '../request/user.ts';
import type { RequestServer } from '../serving/request-server.ts';
import { bodyClock, clientError } from './client-errors.ts';
import { ConnectionLimits, type ConnectionLimitsConfig, HANDSHAKE_MS } from './connection-limits.ts';
import { RESETS_OF_CONNECTION, UNAUTHENTICATED_STREAMS } from './http2-sessions.ts';
import type { TlsFiles } from './tls-files.ts';

/** time limit for the head of a request, as in kube-apiserver */
const HEADERS_MS = 32_000;

/**
 * Idle time of HTTP/1.1 connections. The shorter value is announced to clients (Keep-Alive header). Clients that honour
 * it close idle connections before a stopping gateway does, so they never send on a closed one; the others keep the
 * longer time.
 */
export const ANNOUNCED_IDLE_MS = 5000;
const IDLE_MS = 120_000;

type HttpServer = Server & { keepAliveTimeout: number; keepAliveTimeoutBuffer: number; headersTimeout: number };
type Options = AppOptions & { connectionLimits: ConnectionLimits };

interface AppOptions extends ConnectionLimitsConfig {
  readonly requests: Pick<RequestServer, 'serve'>;
  readonly apiServices: Pick<ApiServices, 'at'>;
  readonly authenticator: Pick<Authenticator, 'sender'>;
  readonly auditTrail: AuditTrail | undefined;
  readonly negotiator: Negotiator;
  readonly metrics: Pick<GatewayMetrics, 'droppedConnections' | 'handshakeErrors'>;
  /** time limit for a request */
  readonly requestMs: number;
  readonly kit: Pick<Kit, 'faults' | 'log'>;
  readonly serving: TlsFiles;
}

/** The HTTP side of the gateway, HTTP/1.1 and HTTP/2 on one port. Requests are handled in serving/request-server.ts. */
export function createApp(given: AppOptions): FastifyInstance {
  const { serving, requestMs, metrics, apiServices } = given;
  const app = fastify({
    http2: true,
    https: {
      allowHTTP1: true,
      // Node's HTTP/2 server leaves it off for HTTP/1.1, where each event of a watch would then wait for an
      // acknowledgement of the one before
      noDelay: true,
      settings: { maxConcurrentStreams: UNAUTHENTICATED_STREAMS },
      ...RESETS_OF_CONNECTION,
      handshakeTimeout: HANDSHAKE_MS,
      // the resolution of HTTP/1.1 time-outs, and the class of answers over HTTP/2; Fastify's types do not declare them
      ...({ connectionsCheckingInterval: 1000, Http2ServerResponse: DirectResponse } as object),
      ...serving.tls,
    },
    logger: false,
    clientErrorHandler: clientError as never,
    exposeHeadRoutes: false,
    // requests that still arrive during shutdown are served
    return503OnClosing: false,
    forceCloseConnections: true,
  }) as unknown as FastifyInstance;
  const { server } = app as unknown as { server: HttpServer };
  server.keepAliveTimeout = ANNOUNCED_IDLE_MS;
  server.keepAliveTimeoutBuffer = IDLE_MS - ANNOUNCED_IDLE_MS;
  server.headersTimeout = Math.min(HEADERS_MS, requestMs);
  serving.keep(server);
  const connectionLimits = new ConnectionLimits(server, given, () => metrics.droppedConnections.inc());
  server.on('tlsClientError', () => metrics.handshakeErrors.inc());
  const options = { ...given, connectionLimits };
  const failedRequests = given.kit.faults.place('serve a request that is sent on');

  app.removeAllContentTypeParsers();
  // the body is read only after authentication and authorization
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', (request, reply, done) => {
    // bodies of proxied requests are not read here: they may have any size and take any time
    const go = (remote: RemoteApi | undefined) => {
      if (remote === undefined && !isProxied(request.raw)) done();
      else options.requests.serve({ request, reply, remote, connections: connectionLimits }).catch(failed);
    };
    const failed = (error: unknown) => {
      failedRequests.failed(error);
      reply.raw.destroy();
    };
    const remote = apiServices.at(request.raw.url ?? '');
    if (remote === undefined || !claimsFence(request.raw)) go(remote);
    else isForLocalStore(given, request.raw).then((isLocal) => go(isLocal ? undefined : remote), failed);
  });
  const onTimeout = (request: FastifyRequest, reply: FastifyReply) =>
    refuse(options, { raw: request.raw, reply }, timeout());
  app.addHook('onRequest', bodyClock(requestMs, onTimeout));
  app.setErrorHandler((error, request, reply) => {
    void refuse(options, { raw: request.raw, reply }, apiErrorOf(error as FastifyRefusal));
  });
  app.all('*', (request, reply) =>
    options.requests.serve({ request, reply, remote: undefined, connections: connectionLimits }),
  );
  serveUpgrades(app, options);
  return app;
}

/** An error by which Fastify rejects a request. */
type FastifyRefusal = Error & { readonly code?: string; readonly statusCode?: number };

/** Converts Fastify's error to the API error that the gateway itself would send. */
function apiErrorOf(error: FastifyRefusal): Error {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return malformedMediaType();
  const { code = '', statusCode = 500 } = error;
  return code.startsWith('FST_') && statusCode < 500 ? badRequest(error.message, error) : error;
}

function claimsFence({ headers }: IncomingMessage): boolean {
  return headers[FENCE_HEADER] !== undefined;
}

/**
 * Whether a system controller sent the request. Controllers always address the objects stored here, even if an API
 * service serves their group by now. Any client can send their header, so the sender is authenticated first.
 */
async function isForLocalStore(
  { authenticator }: Pick<AppOptions, 'authenticator'>,
  raw: IncomingMessage,
): Promise<boolean> {
  if (!claimsFence(raw)) return false;
  try {
    const sender = await authenticator.sender(raw);
    return sender !== undefined && isSystemController(sender);
  } catch {
    // a failure of authentication is reported later, when the request is served
    return false;
  }
}

function isProxied({ method = '', url = '' }: IncomingMessage): boolean {
  if (!url.includes('/proxy')) return false;
  const [path = ''] = url.split('?', 1);
  return requestInfo(method, path)?.subresource === 'proxy';
}

/** Serves upgrades. A watch may use a WebSocket; until it is answered it is handled like any other request. */
function serveUpgrades(app: FastifyInstance, options: Options): void {
  app.server.on('upgrade', (raw: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgrade(options, raw, upgradeReply(raw, socket, head)).catch((error: unknown) => {
      options.kit.log.error({ err: error }, 'An upgraded connection failed.');
      socket.destroy();
    });
  });
}

async function upgrade(options: Options, raw: IncomingMessage, reply: FastifyReply): Promise<void> {
  let remote = options.apiServices.at(raw.url ?? '');
  try {
    takeBearer(raw);
    if (remote !== undefined && (await isForLocalStore(options, raw))) remote = undefined;
    const info = requestInfo(raw.method ?? '', raw.url ?? '/');
    if (info !== undefined && !takesUpgrades(info, remote))
      throw badRequest('only watches, logs and streams are served over a WebSocket');
    const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
    // a body could be confused with the first bytes of the new protocol
    if (length !== '0' || coding !== undefined) throw badRequest('an upgrade request must not have a body');
  } catch (error) {
    await refuse(options, { raw, reply }, error);
    return;
  }
  const request = { raw, method: raw.method, headers: raw.headers, body: undefined } as unknown as FastifyRequest;
  await options.requests.serve({ request, reply, remote, connections: options.connectionLimits });
}

function takesUpgrades({ verb, subresource }: RequestInfo, remote: RemoteApi | undefined): boolean {
  return remote !== undefined || verb === 'watch' || LONG_RUNNING_SUBRESOURCES.has(subresource);
}

/** Answers a request that is rejected before authentication. */
async function refuse(
  options: AppOptions,
  { raw, reply }: { raw: IncomingMessage; reply: FastifyReply },
  error: unknown,
): Promise<void> {
  const context = errorContext(options, raw.headers);
  const { code, status } = await writeError(context, reply, error);
  const info = requestInfo(raw.method ?? '', raw.url ?? '/');
  options.auditTrail?.begin({ raw, auditId: context.auditId, user: unknownUser, info })?.answered(code, status);
}

function errorContext({ negotiator }: AppOptions, headers: IncomingHttpHeaders): ErrorContext {
  return { auditId: auditId(headers['audit-id']), accept: headers.accept, negotiator };
}
