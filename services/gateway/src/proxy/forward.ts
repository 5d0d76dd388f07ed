import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createDeflate, createGunzip, createGzip, createInflate } from 'node:zlib';
import type { RequestInfo } from '@tidegate/request-info';
import { ApiError, badRequest } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import { isGone, writeDrained } from '../answer/drained.ts';
import { flowHeaders } from '../answer/headers.ts';
import { writeText } from '../answer/write-answer.ts';
import { type Answered, ask, type Backend, dial, hiddenDetails, hostAndPort } from './backend.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { HtmlLinks, joined, linkThrough, type Place } from './html-links.ts';

const NO_REDIRECTS = 'the backend attempted to redirect this request, which is not permitted';

export interface Forwarding {
  readonly auditId: string;
  readonly backend: Backend;
  /** the path at the backend */
  readonly path: string;
  /** the query as it was sent, including `?` */
  readonly query: string;
  /** the proxy's path, which links of the backend need as a prefix */
  readonly prefix: string;
  /** additional headers: alternating names and values */
  readonly headers?: readonly string[];
  /** replaces the client's Host header */
  readonly host?: string;
  /** false: a redirect of the backend is a failure */
  readonly mayRedirect?: boolean;
}

/** Forwards a request with its body, and the answer back. When one side closes, the other is closed, too. */
export async function forward(forwarding: Forwarding, reply: FastifyReply): Promise<void> {
  const { raw } = reply;
  const { req } = raw;
  const { backend, path, query, prefix } = forwarding;
  const socket = await reach(backend);
  raw.once('close', () => socket.destroy());
  // a client that left during the connection emits no further event
  if (isGone(raw)) socket.destroy();
  const place = { prefix, backend: hostAndPort(backend), host: req.headers.host ?? '' };
  const { forwardedUri, length } = { forwardedUri: joined(prefix, path), length: bodyLength(req) };
  const own = ['X-Forwarded-Uri', forwardedUri, 'Connection', 'close', ...length, ...(forwarding.headers ?? [])];
  const headers = requestHeaders(req, own, forwarding.host);
  const call = { method: req.method ?? 'GET', path: path + query, headers };
  let answer: Answered;
  try {
    answer = await ask(socket, call, (body) => sendBody(req, body, socket));
  } catch (error) {
    throw unreachable(error);
  }
  if (answer.upgraded !== undefined) {
    socket.destroy();
    throw unreachable(new Error('it switched protocols, and was not asked to'));
  }
  const { statusCode = 0, headers: answered } = answer.response;
  const redirects = statusCode >= 300 && statusCode <= 399 && (answered.location ?? '') !== '';
  if (redirects && forwarding.mayRedirect === false) writeText(forwarding.auditId, reply, 502, NO_REDIRECTS);
  else await sendAnswer(forwarding, reply, answer.response, place);
  socket.destroy();
}

async function reach(backend: Backend): Promise<Socket> {
  try {
    return await dial(backend);
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error: unknown): ApiError {
  const words = error instanceof Error ? error.message : String(error);
  return new ApiError('ServiceUnavailable', `error trying to reach service: ${words}`, hiddenDetails(error));
}

/** The body keeps its framing: the length, or chunks. */
function bodyLength(request: IncomingMessage): string[] {
  const { 'content-length': length } = request.headers;
  if (length !== undefined) return ['Content-Length', length];
  return hasBody(request) ? ['Transfer-Encoding', 'chunked'] : [];
}

function hasBody(request: IncomingMessage & { readonly stream?: { readonly endAfterHeaders?: boolean } }): boolean {
  if (request.httpVersionMajor > 1) return request.stream?.endAfterHeaders !== true;
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function sendBody(request: IncomingMessage, body: NodeJS.WritableStream, socket: Socket): void {
  if (!hasBody(request)) {
    body.end();
    return;
  }
  request.pipe(body);
  // an incomplete body must not look complete
  request.once('aborted', () => socket.destroy());
  request.once('error', () => socket.destroy());
}

async function sendAnswer(
  { auditId }: Forwarding,
  reply: FastifyReply,
  response: IncomingMessage,
  place: Place,
): Promise<void> {
  const { statusCode = 502 } = response;
  const headers = responseHeaders(response);
  if (headers.every((name, i) => i % 2 === 1 || String(name).toLowerCase() !== 'cache-control')) {
    headers.push('Cache-Control', 'no-cache, private');
  }
  const { location } = response.headers;
  const bodyless = reply.raw.req.method === 'HEAD' || statusCode === 204 || statusCode === 304;
  let body: Readable = response;
  if (location !== undefined) setHeader(headers, 'location', linkThrough(place, location));
  else if (isPage(response)) {
    // the length differs after links are rewritten
    setHeader(headers, 'content-length', undefined);
    if (!bodyless) body = changedPage(response, place);
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(statusCode, ['Audit-Id', auditId, ...flowHeaders(raw), ...headers] as string[]);
  raw.flushHeaders();
  await sendBack(body, raw);
}

/** Sends the answer's body with backpressure; an incomplete answer is aborted for the client, too. */
export async function sendBack(body: Readable, raw: ServerResponse): Promise<void> {
  try {
    for await (const chunk of body) {
      if (!(await writeDrained(raw, chunk as Buffer))) return;
    }
    raw.end();
  } catch {
    // an error of either connection: the remaining side sees that the answer is aborted
    breakOff(raw);
  }
}

const INTERNAL_ERROR = 2;

/** Aborts the answer, so that the client does not take the part for the whole. */
function breakOff(raw: ServerResponse & { readonly stream?: { close(code: number): void } }): void {
  if (raw.stream === undefined) raw.destroy();
  else raw.stream.close(INTERNAL_ERROR);
}

function isPage({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim() === 'text/html' && ['', 'gzip', 'deflate'].includes(headers['content-encoding'] ?? '');
}

function changedPage(response: IncomingMessage, place: Place): Readable {
  const links = new HtmlLinks((link) => linkThrough(place, link));
  // a failure destroys the last stream, whose reader sees the error
  const seen = () => {};
  switch (response.headers['content-encoding'] ?? '') {
    case 'gzip':
      return pipeline(response, createGunzip(), links, createGzip(), seen);
    case 'deflate':
      return pipeline(response, createInflate(), links, createDeflate(), seen);
    default:
      return pipeline(response, links, seen);
  }
}

/** Sets a header, or removes it with undefined; headers are alternating names and values. */
function setHeader(headers: Array<string | string[]>, name: string, value: string | undefined): void {
  const at = headers.findIndex((found, i) => i % 2 === 0 && String(found).toLowerCase() === name);
  if (at < 0) return;
  if (value === undefined) headers.splice(at, 2);
  else headers[at + 1] = value;
}

/** A dry run is impossible, because the effect of a proxied request is unknown. */
export function refuseDryRun({ query }: RequestInfo): void {
  if (query.all('dryRun').length > 0) throw badRequest('dryRun is not supported');
}
