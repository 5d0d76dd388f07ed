import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server } from 'node:tls';
import { type RequestInfo, requestInfo, TALKS } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { badRequest, timeout } from '@tidegate/status';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { ApiServices } from '../aggregation/api-services.ts';
import type { RemoteApi } from '../aggregation/remote-api.ts';
import { takeBearer, upgradeReply } from '../answer/upgrade-reply.ts';
import { type Asked, writeError } from '../answer/write-answer.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Authenticator } from '../authn/authenticator.ts';
import { malformedMediaType } from '../codec/media-types.ts';
import type { Negotiator } from '../codec/negotiate.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { auditId, FENCE_HEADER, isSystemController } from '../request/headers.ts';
import { nobody } from '../request/user.ts';
import type { RequestServer } from '../serving/request-server.ts';
import { bodyClock, clientError } from './client-errors.ts';
import { ConnectionLimits, type ConnectionLimitsConfig, HANDSHAKE_MS } from './connection-limits.ts';
import { STREAMS_OF_STRANGERS } from './http2-sessions.ts';
import type { TlsFiles } from './tls-files.ts';

/** how long the head of a request may take, as in kube-apiserver */
const HEADERS_MS = 32_000;

/**
 * How long connections of HTTP/1.1 may be idle. Clients that go by what they are told close theirs before a gateway that is
 * to end does, so that none of them finds one closed; the others are let be.
 */
export const TOLD_IDLE_MS = 5000;
const IDLE_MS = 120_000;

type HttpServer = Server & { keepAliveTimeout: number; keepAliveTimeoutBuffer: number; headersTimeout: number };
type Options = AppOptions & { doors: ConnectionLimits };

interface AppOptions extends ConnectionLimitsConfig {
  readonly requests: Pick<RequestServer, 'serve'>;
  readonly apiServices: Pick<ApiServices, 'at'>;
  readonly authenticator: Pick<Authenticator, 'sender'>;
  readonly auditTrail: AuditTrail | undefined;
  readonly negotiator: Negotiator;
  readonly metrics: Pick<GatewayMetrics, 'droppedConnections' | 'handshakeErrors'>;
  /** how long a request may take */
  readonly requestMs: number;
  readonly kit: Pick<Kit, 'faults' | 'log'>;
  readonly serving: TlsFiles;
}

/** The HTTP side of the gateway, HTTP/1.1 and HTTP/2 on one port. What happens to a request is in serving/request-server.ts. */
export function createApp(given: AppOptions): FastifyInstance {
  const { serving, requestMs, metrics, apiServices } = given;
  const app = fastify({
    http2: true,
    https: {
      allowHTTP1: true,
      // Node's HTTP/2 server leaves it off for HTTP/1.1, where each event of a watch would then wait for an
      // acknowledgement of the one before
      noDelay: true,
      settings: { maxConcurrentStreams: STREAMS_OF_STRANGERS },
      handshakeTimeout: HANDSHAKE_MS,
      // how late the time-outs of HTTP/1.1 may be; Node's types do not know that this server has them
      ...({ connectionsCheckingInterval: 1000 } as object),
      ...serving.tls,
    },
    logger: false,
    clientErrorHandler: clientError as never,
    exposeHeadRoutes: false,
    // what still comes while this process ends is served
    return503OnClosing: false,
    forceCloseConnections: true,
  }) as unknown as FastifyInstance;
  const { server } = app as unknown as { server: HttpServer };
  server.keepAliveTimeout = TOLD_IDLE_MS;
  server.keepAliveTimeoutBuffer = IDLE_MS - TOLD_IDLE_MS;
  server.headersTimeout = Math.min(HEADERS_MS, requestMs);
  serving.keep(server);
  const doors = new ConnectionLimits(server, given, () => metrics.droppedConnections.inc());
  server.on('tlsClientError', () => metrics.handshakeErrors.inc());
  const options = { ...given, doors };
  const failedRequests = given.kit.faults.place('serve a request that is sent on');

  app.removeAllContentTypeParsers();
  // a body is read when it is known who sends it, and that they may
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', (request, reply, done) => {
    // what is sent on to others is not read here: its body may have any size, and come at any pace
    const go = (remote: RemoteApi | undefined) => {
      if (remote === undefined && !isSentOn(request.raw)) done();
      else options.requests.serve({ request, reply, remote, connections: doors }).catch(failed);
    };
    const failed = (error: unknown) => {
      failedRequests.failed(error);
      reply.raw.destroy();
    };
    const remote = apiServices.at(request.raw.url ?? '');
    if (remote === undefined || !claimsFence(request.raw)) go(remote);
    else meantHere(given, request.raw).then((isHere) => go(isHere ? undefined : remote), failed);
  });
  const tooSlow = (request: FastifyRequest, reply: FastifyReply) =>
    refuse(options, { raw: request.raw, reply }, timeout());
  app.addHook('onRequest', bodyClock(requestMs, tooSlow));
  app.setErrorHandler((error, request, reply) => {
    void refuse(options, { raw: request.raw, reply }, toldAs(error as FastifyRefusal));
  });
  app.all('*', (request, reply) => options.requests.serve({ request, reply, remote: undefined, connections: doors }));
  serveUpgrades(app, options);
  return app;
}

/** What Fastify says where it does not take a request. */
type FastifyRefusal = Error & { readonly code?: string; readonly statusCode?: number };

/** What is wrong with a request is told as that, whoever has found it. */
function toldAs(error: FastifyRefusal): Error {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return malformedMediaType();
  const { code = '', statusCode = 500 } = error;
  return code.startsWith('FST_') && statusCode < 500 ? badRequest(error.message, error) : error;
}

function claimsFence({ headers }: IncomingMessage): boolean {
  return headers[FENCE_HEADER] !== undefined;
}

/**
 * System controllers mean what is kept here, whoever serves its group by now. Everybody may send their header, so it is
 * found out who sends it before it counts.
 */
async function meantHere({ authenticator }: Pick<AppOptions, 'authenticator'>, raw: IncomingMessage): Promise<boolean> {
  if (!claimsFence(raw)) return false;
  try {
    const sender = await authenticator.sender(raw);
    return sender !== undefined && isSystemController(sender);
  } catch {
    // whatever keeps them from being known is met, and told, where the request is served
    return false;
  }
}

function isSentOn({ method = '', url = '' }: IncomingMessage): boolean {
  if (!url.includes('/proxy')) return false;
  const [path = ''] = url.split('?', 1);
  return requestInfo(method, path)?.subresource === 'proxy';
}

/** A watch may come as a WebSocket. What asks for one is a request like any other until it is answered. */
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
    if (remote !== undefined && (await meantHere(options, raw))) remote = undefined;
    const info = requestInfo(raw.method ?? '', raw.url ?? '/');
    if (info !== undefined && !takesUpgrades(info, remote))
      throw badRequest('only watches, logs and streams are served over a WebSocket');
    const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
    // it would be the first bytes of the other protocol, or be taken for them
    if (length !== '0' || coding !== undefined) throw badRequest('a request for another protocol has no body');
  } catch (error) {
    await refuse(options, { raw, reply }, error);
    return;
  }
  const request = { raw, method: raw.method, headers: raw.headers, body: undefined } as unknown as FastifyRequest;
  await options.requests.serve({ request, reply, remote, connections: options.doors });
}

function takesUpgrades({ verb, subresource }: RequestInfo, remote: RemoteApi | undefined): boolean {
  return remote !== undefined || verb === 'watch' || TALKS.has(subresource);
}

/** The answer to what is refused before it is known who sends it. */
async function refuse(
  options: AppOptions,
  { raw, reply }: { raw: IncomingMessage; reply: FastifyReply },
  error: unknown,
): Promise<void> {
  const asked = askedBy(options, raw.headers);
  const { code, status } = await writeError(asked, reply, error);
  const info = requestInfo(raw.method ?? '', raw.url ?? '/');
  options.auditTrail?.begin({ raw, auditId: asked.auditId, user: nobody, info })?.answered(code, status);
}

function askedBy({ negotiator }: AppOptions, headers: IncomingHttpHeaders): Asked {
  return { auditId: auditId(headers['audit-id']), accept: headers.accept, negotiator };
}
