import type { ServerResponse } from 'node:http';
import { ApiError } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import type { Answer, ResourceRequest } from '../gateway.ts';

/** Takes the reply over for a body that the caller writes itself. */
export function writeHead(
  request: Pick<ResourceRequest, 'warnings'>,
  reply: FastifyReply,
  code: number,
  headers: Record<string, string | number>,
): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  raw.setHeader('Content-Type', 'application/json');
  raw.setHeader('Cache-Control', 'no-cache, private');
  if (request.warnings.length > 0) raw.setHeader('Warning', request.warnings.map(warningHeader));
  for (const name of Object.keys(headers)) raw.setHeader(name, headers[name] as string | number);
  raw.statusCode = code;
  return raw;
}

export function writeAnswer(request: Pick<ResourceRequest, 'warnings'>, reply: FastifyReply, answer: Answer): void {
  writeHead(request, reply, answer.code, { 'Content-Length': answer.body.length }).end(answer.body);
}

/** Anything that was thrown, as the Status that clients parse. */
export function writeError(reply: FastifyReply, thrown: unknown): ApiError {
  const error = ApiError.from(thrown);
  const { raw } = reply;
  if (raw.headersSent) {
    raw.destroy();
    return error;
  }
  const { status } = error;
  const retryAfter = status.details?.retryAfterSeconds;
  const headers: Record<string, string | number> = {};
  if (retryAfter !== undefined) headers['Retry-After'] = retryAfter;
  if (error.code === 403) headers['X-Content-Type-Options'] = 'nosniff';
  const body = Buffer.from(`${JSON.stringify(status)}\n`);
  writeHead({ warnings: [] }, reply, error.code, { ...headers, 'Content-Length': body.length }).end(body);
  return error;
}

/** `299 - "text"`, with quotes and backslashes escaped and nothing in it that could end the header. */
function warningHeader(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?').slice(0, 256);
  return `299 - "${clean.replace(/["\\]/g, '\\$&')}"`;
}
