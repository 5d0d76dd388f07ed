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
import { ask, type Backend, dial, hostAndPort, type Said, untold } from './backend.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { HtmlLinks, joined, linkThrough, type Place } from './html-links.ts';

const NO_REDIRECTS = 'the backend attempted to redirect this request, which is not permitted';

export interface Forwarding {
  readonly auditId: string;
  readonly backend: Backend;
  /** at the back end */
  readonly path: string;
  /** as it was sent, with its mark */
  readonly query: string;
  /** of this proxy, before the back end's paths */
  readonly prefix: string;
  /** said beside what the client says: names and values in turn */
  readonly headers?: readonly string[];
  /** instead of the host that the client names */
  readonly host?: string;
  /** false: an answer that sends the client elsewhere is a failure */
  readonly mayRedirect?: boolean;
}

/** Sends a request on, body and all, and its answer back; whoever of the two goes, the other is let go, too. */
export async function forward(forwarding: Forwarding, reply: FastifyReply): Promise<void> {
  const { raw } = reply;
  const { req } = raw;
  const { backend, path, query, prefix } = forwarding;
  const socket = await reach(backend);
  raw.once('close', () => socket.destroy());
  // what closed while the connection was made does not say so again
  if (isGone(raw)) socket.destroy();
  const place = { prefix, backend: hostAndPort(backend), host: req.headers.host ?? '' };
  const { forwardedUri, length } = { forwardedUri: joined(prefix, path), length: bodyLength(req) };
  const own = ['X-Forwarded-Uri', forwardedUri, 'Connection', 'close', ...length, ...(forwarding.headers ?? [])];
  const headers = requestHeaders(req, own, forwarding.host);
  const call = { method: req.method ?? 'GET', path: path + query, headers };
  let said: Said;
  try {
    said = await ask(socket, call, (body) => sendBody(req, body, socket));
  } catch (error) {
    throw unreachable(error);
  }
  if (said.upgraded !== undefined) {
    socket.destroy();
    throw unreachable(new Error('it switched protocols, and was not asked to'));
  }
  const { statusCode = 0, headers: told } = said.response;
  const redirects = statusCode >= 300 && statusCode <= 399 && (told.location ?? '') !== '';
  if (redirects && forwarding.mayRedirect === false) writeText(forwarding.auditId, reply, 502, NO_REDIRECTS);
  else await answer(forwarding, reply, said.response, place);
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
  return new ApiError('ServiceUnavailable', `error trying to reach service: ${words}`, untold(error));
}

/** How the body is measured for the back end: as it was for us. */
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
  // half a body is none
  request.once('aborted', () => socket.destroy());
  request.once('error', () => socket.destroy());
}

async function answer(
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
    // it is another one for a changed page
    setHeader(headers, 'content-length', undefined);
    if (!bodyless) body = changedPage(response, place);
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(statusCode, ['Audit-Id', auditId, ...flowHeaders(raw), ...headers] as string[]);
  raw.flushHeaders();
  await sendBack(body, raw);
}

/** The rest of an answer, as fast as the client takes it; an answer that breaks off is broken off here. */
export async function sendBack(body: Readable, raw: ServerResponse): Promise<void> {
  try {
    for await (const chunk of body) {
      if (!(await writeDrained(raw, chunk as Buffer))) return;
    }
    raw.end();
  } catch {
    // an error of the back end's connection, or of the client's: whoever is still there sees that the answer breaks off
    breakOff(raw);
  }
}

const INTERNAL_ERROR = 2;

/** So that what came so far is not taken for everything. */
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
  // a failure ends the last of them, whose reader sees it
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

/** Sets, or with undefined removes, what is there; headers are names and values in turn. */
function setHeader(headers: Array<string | string[]>, name: string, value: string | undefined): void {
  const at = headers.findIndex((found, i) => i % 2 === 0 && String(found).toLowerCase() === name);
  if (at < 0) return;
  if (value === undefined) headers.splice(at, 2);
  else headers[at + 1] = value;
}

/** Nobody can say here what would happen. */
export function refuseDryRun({ query }: RequestInfo): void {
  if (query.all('dryRun').length > 0) throw badRequest('dryRun is not supported');
}
