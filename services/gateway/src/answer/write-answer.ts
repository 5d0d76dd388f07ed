import type { ServerResponse } from 'node:http';
import { metaSchemas } from '@tidegate/kinds';
import type { Query } from '@tidegate/request-info';
import type { JsonObject } from '@tidegate/schema';
import { ApiError } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import { wantsPrettyError } from '../codec/answer.ts';
import { compress } from '../codec/compress.ts';
import { type Negotiator, PLAIN } from '../codec/negotiate.ts';
import { type Accepted, type CodingName, type ContentCoding, IDENTITY } from '../request/answer-form.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { noteBytes } from '../telemetry/request-metrics.ts';
import { DirectResponse } from './direct-response.ts';
import { flowHeaders, warningHeaders } from './headers.ts';

type Headers = Array<string | number | string[]>;

const COMMON: Headers = ['Cache-Control', 'no-cache, private'];

type Heading = Pick<ResourceRequest, 'auditId' | 'warnings' | 'coding' | 'accepted'>;

interface Head {
  readonly code: number;
  /** where it is not the negotiated one */
  readonly contentType?: string;
  /** alternating names and values */
  readonly headers?: Headers;
}

/** Writes the head; the caller writes the body itself. */
export function writeHead(
  request: Heading,
  reply: FastifyReply,
  { code, contentType, headers = [] }: Head,
): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  const type = contentType ?? request.accepted.mediaType;
  const all: Headers = ['Audit-Id', request.auditId, 'Content-Type', type, ...COMMON, ...flowHeaders(raw), ...headers];
  if (request.coding.varies) all.push('Vary', 'Accept-Encoding');
  for (const header of warningHeaders(request.warnings)) all.push('Warning', header);
  if (headers[0] === 'Content-Length') noteBytes(raw, Number(headers[1]));
  raw.writeHead(code, all as string[]);
  return raw;
}

/** Bodies up to this size are sent in one write with their headers. */
const ONE_WRITE_BYTES = 16 << 10;

export function writeAnswer(request: Heading, reply: FastifyReply, { code, body }: Answer): Promise<void> {
  return writeCoded(request, reply, { code, body, headers: [] });
}

async function writeCoded(
  request: Heading,
  reply: FastifyReply,
  { code, body, headers }: Answer & { headers: Headers },
): Promise<void> {
  const { name, fromBytes } = request.coding;
  expectWhole(reply);
  if (name === undefined || body.length < fromBytes) {
    writeBody(writeHead(request, reply, { code, headers: ['Content-Length', body.length, ...headers] }), body);
    return;
  }
  const small = await compress(name, body);
  const coded = ['Content-Length', small.length, ...codingHeader(name), ...headers];
  writeBody(writeHead(request, reply, { code, headers: coded }), small);
}

/** The whole body is written together with the head. */
function expectWhole({ raw }: FastifyReply): void {
  const response: object = raw;
  if (response instanceof DirectResponse) response.isWhole = true;
}

/** the header of a compressed body */
export function codingHeader(name: CodingName): Headers {
  return ['Content-Encoding', name];
}

function writeBody(raw: ServerResponse, body: Buffer): void {
  // Node sends headers together with a body that is a string: one TLS record and one system call instead of two
  if (body.length <= ONE_WRITE_BYTES && raw.req.httpVersionMajor === 1) raw.end(body.toString('latin1'), 'latin1');
  else raw.end(body);
}

export interface ErrorContext {
  readonly negotiator: Negotiator;
  readonly auditId: string;
  readonly accept: string | undefined;
  readonly coding?: ContentCoding | undefined;
  readonly warnings?: readonly string[];
  readonly query?: Query | undefined;
}

/** Writes any thrown value as the Status that clients parse. */
export async function writeError(
  { auditId, accept, coding = IDENTITY, warnings = [], negotiator, query }: ErrorContext,
  reply: FastifyReply,
  thrown: unknown,
): Promise<ApiError> {
  const error = ApiError.from(thrown);
  const { raw } = reply;
  if (raw.headersSent) {
    raw.destroy();
    return error;
  }
  const { status, code } = error;
  const retryAfter = status.details?.retryAfterSeconds;
  const accepted = acceptedOr(negotiator, accept, error);
  const document = { value: status as unknown as JsonObject, schema: metaSchemas.status };
  const pretty = accepted.pretty || wantsPrettyError(query, raw.req.headers['user-agent'] ?? '');
  const body = accepted.encoding.document(document, pretty);
  const headers: Headers = [];
  if (retryAfter !== undefined) headers.push('Retry-After', retryAfter);
  if (code === 403) headers.push('X-Content-Type-Options', 'nosniff');
  await writeCoded({ auditId, warnings: [...warnings], coding, accepted }, reply, { code, body, headers });
  return error;
}

/** If no accepted media type is available, the error is sent as indented JSON. */
function acceptedOr(negotiator: Negotiator, accept: string | undefined, error: ApiError): Accepted {
  if (error.reason === 'NotAcceptable') return { ...PLAIN, pretty: true };
  try {
    return negotiator.negotiate(accept);
  } catch (notAccepted) {
    if (!(notAccepted instanceof ApiError)) throw notAccepted;
    return { ...PLAIN, pretty: true };
  }
}

interface TextOptions {
  readonly contentType?: string;
  /** alternating names and values */
  readonly headers?: readonly string[];
}

/** Writes text, or a document that is not an object: probes, metrics, discovery, unknown paths. */
export function writeText(
  audit: string,
  reply: FastifyReply,
  code: number,
  text: string,
  { contentType = 'text/plain; charset=utf-8', headers = [] }: TextOptions = {},
): number {
  reply.hijack();
  expectWhole(reply);
  const { raw } = reply;
  const all: Headers = ['Audit-Id', audit, 'Content-Type', contentType, ...COMMON, 'X-Content-Type-Options', 'nosniff'];
  all.push('Content-Length', Buffer.byteLength(text), ...flowHeaders(raw), ...headers);
  raw.writeHead(code, all as string[]);
  raw.end(text);
  return code;
}

/** 404 in plain text, for an unknown path. */
export function pathNotFound(audit: string, reply: FastifyReply): number {
  return writeText(audit, reply, 404, '404 page not found\n');
}
