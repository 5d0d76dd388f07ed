import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@tidegate/status';
import type { UpgradedConnection, UpgradeResponse } from '../answer/upgrade-reply.ts';
import { type Answered, ask, type Backend, type Call, dial, hiddenDetails } from './backend.ts';
import { responseHeaders, upgradeHeaders } from './headers.ts';

export interface Upgrading {
  readonly auditId: string;
  readonly backend: Backend;
  /** including the query */
  readonly path: string;
  /** additional headers: alternating names and values */
  readonly headers?: readonly string[];
  /** replaces the client's Host header */
  readonly host?: string;
}

/** An upgrade that the backend has accepted. */
export interface Upgraded {
  readonly response: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The largest part of a refusal that is forwarded. */
const REFUSAL_BYTES = 64 << 10;
const REFUSAL_MS = 10_000;

/**
 * Forwards an upgrade, and after the backend's 101 the bytes of both sides. When the backend refuses, its answer is
 * forwarded and its connection closed, so that later bytes of the client reach no server.
 */
export async function passUpgrade(upgrading: Upgrading, raw: UpgradeResponse): Promise<void> {
  const { req } = raw;
  const headers = upgradeHeaders(req, upgrading.headers, upgrading.host);
  const call = { method: req.method ?? 'GET', path: upgrading.path, headers };
  const upgraded = await askUpgrade(upgrading, raw, call);
  if (upgraded === undefined) return;
  const { response, socket, head } = upgraded;
  const taken = raw.take();
  taken.socket.write(switching(response));
  join(taken, { socket, head });
}

/** The backend's upgraded connection; undefined where it refused and the client got the refusal. */
export async function askUpgrade(
  upgrading: Upgrading,
  raw: UpgradeResponse,
  call: Call,
): Promise<Upgraded | undefined> {
  const { answer, connection } = await reach(upgrading.backend, raw, call);
  if (answer.upgraded !== undefined) return { response: answer.response, ...answer.upgraded };
  const { statusCode = 0 } = answer.response;
  if (statusCode < 400) {
    connection.destroy();
    throw new ApiError('', `invalid upgrade response: status code ${statusCode}`);
  }
  await refuse(upgrading, raw, answer.response);
  connection.destroy();
  return undefined;
}

async function reach(
  backend: Backend,
  raw: UpgradeResponse,
  call: Call,
): Promise<{ answer: Answered; connection: Socket }> {
  let connection: Socket | undefined;
  try {
    const made = await dial(backend);
    connection = made;
    raw.readEarly();
    raw.once('close', () => made.destroy());
    if (raw.destroyed) made.destroy();
    return { answer: await ask(made, call, (body) => body.end()), connection: made };
  } catch (error) {
    connection?.destroy();
    throw new ApiError('', `error dialing backend: ${(error as Error).message}`, hiddenDetails(error));
  }
}

async function refuse({ auditId }: Upgrading, raw: UpgradeResponse, response: IncomingMessage): Promise<void> {
  const headers = responseHeaders(response).map((part) => (Array.isArray(part) ? part.join(', ') : part));
  const length = headers.findIndex((part, i) => i % 2 === 0 && part.toLowerCase() === 'content-length');
  if (length >= 0) headers.splice(length, 2);
  const body = await readSome(response);
  raw.writeHead(response.statusCode ?? 502, ['Audit-Id', auditId, ...headers, 'Content-Length', String(body.length)]);
  raw.end(body);
}

/** The body of a refusal, or the part that arrives in time. */
export async function readSome(response: IncomingMessage): Promise<Buffer> {
  const timer = setTimeout(() => response.destroy(), REFUSAL_MS);
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > REFUSAL_BYTES) break;
    }
  } catch {
    // the backend's connection broke: the received part is forwarded
  }
  clearTimeout(timer);
  return Buffer.concat(parts).subarray(0, REFUSAL_BYTES);
}

/** The backend's answer 101. */
function switching({ rawHeaders }: IncomingMessage): string {
  const lines: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`;
}

/** how long the other side may still send after one side has ended */
const LINGER_MS = 10_000;

/** Joins two connections in both directions with backpressure; they end together. */
export function join(one: UpgradedConnection, other: UpgradedConnection): void {
  if (one.head.length > 0) other.socket.write(one.head);
  if (other.head.length > 0) one.socket.write(other.head);
  carry(one.socket, other.socket);
  carry(other.socket, one.socket);
}

function carry(from: Duplex, to: Duplex): void {
  from.pipe(to);
  // an error is always followed by close
  from.on('error', () => {});
  const over = () => {
    if (!to.writableEnded) to.end();
    const timer = setTimeout(() => to.destroy(), LINGER_MS);
    to.once('close', () => clearTimeout(timer));
  };
  from.once('end', over);
  from.once('close', () => {
    from.off('end', over);
    if (!to.destroyed) over();
  });
}
