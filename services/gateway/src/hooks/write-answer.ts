import type { ServerResponse } from 'node:http';
import { ApiError } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import { gzip } from '../codec/gzip.ts';
import type { Answer, ResourceRequest } from '../gateway.ts';
import { IDENTITY } from './content-coding.ts';

type Headers = Array<string | number | string[]>;

const COMMON: Headers = ['Content-Type', 'application/json', 'Cache-Control', 'no-cache, private'];

type Heading = Pick<ResourceRequest, 'auditId' | 'warnings' | 'coding'>;

/** Takes the reply over for a body that the caller writes itself. Headers come as names and values in turn. */
export function writeHead(request: Heading, reply: FastifyReply, code: number, headers: Headers = []): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  const all: Headers = ['Audit-Id', request.auditId, ...COMMON, ...headers];
  if (request.coding.varies) all.push('Vary', 'Accept-Encoding');
  for (const warning of new Set(request.warnings)) all.push('Warning', warningHeader(warning));
  raw.writeHead(code, all as string[]);
  return raw;
}

/** Bodies up to this size leave in one write with their headers. */
const ONE_WRITE_BYTES = 16 << 10;

export function writeAnswer(request: Heading, reply: FastifyReply, { code, body }: Answer): Promise<void> {
  return writeCoded(request, reply, { code, body, headers: [] });
}

async function writeCoded(
  request: Heading,
  reply: FastifyReply,
  { code, body, headers }: Answer & { headers: Headers },
): Promise<void> {
  const { gzipFromBytes } = request.coding;
  if (gzipFromBytes === undefined || body.length < gzipFromBytes) {
    writeBody(writeHead(request, reply, code, ['Content-Length', body.length, ...headers]), body);
    return;
  }
  const small = await gzip(body);
  writeBody(writeHead(request, reply, code, ['Content-Length', small.length, ...GZIP, ...headers]), small);
}

/** to a body in this coding */
export const GZIP: Headers = ['Content-Encoding', 'gzip'];

function writeBody(raw: ServerResponse, body: Buffer): void {
  // Node joins headers with a body that is text: one TLS record and one system call instead of two
  if (body.length <= ONE_WRITE_BYTES && raw.req.httpVersionMajor === 1) raw.end(body.toString('latin1'), 'latin1');
  else raw.end(body);
}

/** Anything that was thrown, as the Status that clients parse. */
export async function writeError(
  auditId: string,
  reply: FastifyReply,
  thrown: unknown,
  coding = IDENTITY,
): Promise<ApiError> {
  const error = ApiError.from(thrown);
  const { raw } = reply;
  if (raw.headersSent) {
    raw.destroy();
    return error;
  }
  const { status, code } = error;
  const retryAfter = status.details?.retryAfterSeconds;
  const body = Buffer.from(`${JSON.stringify(status)}\n`);
  const headers: Headers = [];
  if (retryAfter !== undefined) headers.push('Retry-After', retryAfter);
  if (code === 403) headers.push('X-Content-Type-Options', 'nosniff');
  await writeCoded({ auditId, warnings: [], coding }, reply, { code, body, headers });
  return error;
}

/** `299 - "text"`, with quotes and backslashes escaped and nothing in it that could end the header. */
function warningHeader(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?').slice(0, 256);
  return `299 - "${clean.replace(/["\\]/g, '\\$&')}"`;
}

/** Text, or a document that is not an object: probes, metrics, discovery, unknown paths. */
export function writeText(
  audit: string,
  reply: FastifyReply,
  code: number,
  text: string,
  contentType = 'text/plain; charset=utf-8',
): number {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(code, {
    'Audit-Id': audit,
    'Content-Type': contentType,
    'Cache-Control': 'no-cache, private',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(text),
  });
  raw.end(text);
  return code;
}
