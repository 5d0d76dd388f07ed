import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type RequestInfo, requestInfo } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { type ApiError, methodNotAllowed, requestEntityTooLarge } from '@tidegate/status';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { authenticate } from './authn/authenticate.ts';
import type { TokenFile } from './authn/token-file.ts';
import type { User } from './authn/user.ts';
import { authorize } from './authz/authorize.ts';
import { discoveryDocument } from './discovery/discovery.ts';
import type { Gateway, ResourceRequest } from './gateway.ts';
import { probe } from './health/probes.ts';
import { writeAnswer, writeError } from './hooks/write-answer.ts';
import { handlerOf } from './verbs/dispatch.ts';

const MAX_BODY_BYTES = 3 << 20;
const NOTHING = Buffer.alloc(0);

interface AppOptions {
  gateway: Gateway;
  kit: Kit;
  tokens: TokenFile;
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
  clientCaFile: string;
}

/** The HTTP side of the gateway. Every request, of whatever path, passes the same stations in the order below. */
export function createApp(options: AppOptions): FastifyInstance {
  const { clientCaFile } = options;
  const app = fastify({
    http2: true,
    https: {
      allowHTTP1: true,
      cert: readFileSync(options.tlsCertFile),
      key: readFileSync(options.tlsPrivateKeyFile),
      minVersion: 'TLSv1.2',
      // a certificate is asked for and looked at, but who shows none may still have a token
      ...(clientCaFile === '' ? {} : { ca: readFileSync(clientCaFile), requestCert: true, rejectUnauthorized: false }),
    },
    bodyLimit: MAX_BODY_BYTES,
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
  }) as unknown as FastifyInstance;
  const { server } = app as unknown as { server: { keepAliveTimeout: number } };
  server.keepAliveTimeout = 120_000;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => {
    writeError(reply, (error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? bodyTooLarge() : error);
  });
  app.all('*', (request, reply) => handle(options, request, reply));
  return app;
}

function bodyTooLarge(): ApiError {
  return requestEntityTooLarge(`limit is ${MAX_BODY_BYTES}`);
}

/** The life of a request. */
async function handle(options: AppOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { gateway, kit } = options;
  const started = performance.now();
  reply.raw.setHeader('Audit-Id', auditId(request.headers['audit-id']));
  let info: RequestInfo | undefined;
  let code = 200;
  try {
    info = requestInfo(request.method, request.raw.url ?? '/');
    const user = authenticate(request.raw, options.tokens);
    if (info === undefined) code = writeText(reply, 404, '404 page not found\n');
    else {
      const refused = authorize(user, info);
      if (refused !== undefined) throw refused;
      code = info.isResource
        ? await serveResource(options, request, reply, info, user)
        : await serveOther(options, request, reply, info);
    }
  } catch (error) {
    const written = writeError(reply, error);
    code = written.code;
    if (written.code >= 500 && written.cause !== undefined)
      kit.log.error({ err: written.cause, path: info?.path }, 'A request failed.');
  }
  if (info?.isResource && info.verb !== 'watch') {
    const seconds = (performance.now() - started) / 1000;
    gateway.metrics.requestSeconds
      .labels(knownVerb(info.verb), knownResource(gateway, info), String(code))
      .observe(seconds);
  }
}

async function serveResource(
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  info: RequestInfo,
  user: User,
): Promise<number> {
  const { gateway, kit } = options;
  const kind = gateway.registry.find(info.group, info.version, info.resource);
  // a resource of the other scope is not there
  if (kind === undefined || (!kind.entry.namespaced && info.namespace !== '' && info.resource !== 'namespaces')) {
    return writeText(reply, 404, '404 page not found\n');
  }
  const handler = handlerOf({ info, kind });
  if (handler === undefined) return writeText(reply, 404, '404 page not found\n');
  const { headers } = request;
  const span = kit.tracing.request(`${info.verb} ${info.resource}`, headers.traceparent as string | undefined, {
    'http.request.method': request.method,
    'url.path': info.path,
    'k8s.verb': info.verb,
  });
  const resourceRequest: ResourceRequest = {
    info,
    kind,
    user,
    contentType: headers['content-type'],
    accept: headers.accept,
    body: (request.body as Buffer | undefined) ?? NOTHING,
    span,
    warnings: [],
  };
  try {
    const answer = await handler(gateway, resourceRequest, reply);
    if (answer !== undefined) writeAnswer(resourceRequest, reply, answer);
    span?.end();
    if (span !== undefined)
      kit.log.info(
        { traceId: span.traceId, verb: info.verb, path: info.path, code: answer?.code ?? 200 },
        'A traced request was served.',
      );
    return answer?.code ?? 200;
  } catch (error) {
    span?.end(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function serveOther(
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  info: RequestInfo,
): Promise<number> {
  const { gateway, kit } = options;
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  const health = probe(kit.checks, info.path, info.query);
  if (health !== undefined) return writeText(reply, health.code, health.text);
  if (info.path === '/metrics') return writeText(reply, 200, await kit.metrics.text(), kit.metrics.contentType);
  const document = discoveryDocument(gateway.registry, info.path, request.headers.accept);
  if (document === undefined) return writeText(reply, 404, '404 page not found\n');
  return writeText(
    reply,
    200,
    `${JSON.stringify(document.value, null, info.query.flag('pretty') ? 2 : 0)}\n`,
    document.contentType,
  );
}

function writeText(reply: FastifyReply, code: number, text: string, contentType = 'text/plain; charset=utf-8'): number {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(code, {
    'Content-Type': contentType,
    'Cache-Control': 'no-cache, private',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(text),
  });
  raw.end(text);
  return code;
}

/** The client's own id when it is a sane one. */
function auditId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\x21-\x7e]{1,64}$/.test(given) ? given : randomUUID();
}

/** Labels take known values only: what a client sends must not grow the metrics. */
function knownResource(gateway: Gateway, info: RequestInfo): string {
  return gateway.registry.find(info.group, info.version, info.resource) === undefined ? 'unknown' : info.resource;
}

const KNOWN_VERBS = new Set(['get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection']);

function knownVerb(verb: string): string {
  return KNOWN_VERBS.has(verb) ? verb : 'other';
}
