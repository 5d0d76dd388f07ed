import { type RequestInfo, splitOutsideQuotes } from '@tidegate/request-info';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wantsPretty } from '../codec/answer.ts';
import type { Document } from '../discovery/document.ts';
import type { ContentCoding } from '../request/answer-form.ts';
import { flowHeaders } from './headers.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

interface DocumentRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  audit: string;
  info: RequestInfo;
  coding: ContentCoding;
}

/**
 * Writes a discovery document. If-None-Match is answered with 304. With the current `?hash` it may be cached for ever;
 * with an outdated one the client is redirected to the current hash.
 */
export async function writeDocument(
  { request, reply, audit, info, coding }: DocumentRequest,
  document: Document,
): Promise<number> {
  const hash = info.query.get('hash');
  const headers: Record<string, string | number> = {
    'Audit-Id': audit,
    'Content-Type': document.contentType,
    'Cache-Control': 'no-cache, private',
    'X-Content-Type-Options': 'nosniff',
    ETag: document.etag,
    Vary: 'Accept, Accept-Encoding',
  };
  const write = (code: number, body?: Buffer): number => {
    reply.hijack();
    if (body !== undefined) headers['Content-Length'] = body.length;
    reply.raw.writeHead(code, [...Object.entries(headers).flat(), ...flowHeaders(reply.raw)] as string[]);
    reply.raw.end(body);
    return code;
  };
  if (hash !== undefined && hash !== document.hash) {
    headers.Location = `${info.path}?hash=${document.hash}`;
    return write(301);
  }
  if (hash !== undefined) {
    headers['Cache-Control'] = 'public, immutable';
    headers.Expires = new Date(Date.now() + YEAR_MS).toUTCString();
  }
  if (matchesEtag(request.headers['if-none-match'], document.etag)) return write(304);
  if (isIndented(info, request, document)) {
    return write(200, Buffer.from(`${JSON.stringify(JSON.parse(document.body.toString('utf8')), null, 2)}\n`));
  }
  const { name, fromBytes } = coding;
  if (name === undefined || document.body.length < fromBytes) return write(200, document.body);
  headers['Content-Encoding'] = name;
  return write(200, await document.compressed(name));
}

/** Paths whose documents are always indented. */
const ALWAYS_INDENTED = new Set(['/', '/version', '/version/']);

function isIndented({ path, query }: RequestInfo, { headers }: FastifyRequest, { contentType }: Document): boolean {
  const isPretty = wantsPretty(query, headers['user-agent'] ?? '');
  if (!contentType.startsWith('application/json') || path.startsWith('/openapi/')) return false;
  return isPretty || ALWAYS_INDENTED.has(path);
}

function matchesEtag(header: string | undefined, etag: string): boolean {
  return splitOutsideQuotes(header ?? '', ',').some((known) => known.replace(/^W\//, '') === etag);
}
