import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@tidegate/status';
import type { Taken, UpgradeResponse } from '../answer/upgrade-reply.ts';
import { ask, type Backend, type Call, dial, type Said, untold } from './backend.ts';
import { responseHeaders, upgradeHeaders } from './headers.ts';

export interface Upgrading {
  readonly auditId: string;
  readonly backend: Backend;
  /** with the query */
  readonly path: string;
  /** said beside what the client says: names and values in turn */
  readonly headers?: readonly string[];
  /** instead of the host that the client names */
  readonly host?: string;
}

/** An upgrade that the back end has agreed to. */
export interface Upgraded {
  readonly response: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** A refusal is told in full, up to here. */
const REFUSAL_BYTES = 64 << 10;
const REFUSAL_MS = 10_000;

/**
 * Hands an upgrade on as it is, and from the back end's 101 on the bytes of both, as they come. A back end that does not
 * switch has its refusal told and its connection closed: whatever the client sends then reaches nobody.
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

/** The back end's connection once it has switched; undefined where it refused, and the client was told. */
export async function askUpgrade(
  upgrading: Upgrading,
  raw: UpgradeResponse,
  call: Call,
): Promise<Upgraded | undefined> {
  const { said, connection } = await reach(upgrading.backend, raw, call);
  if (said.upgraded !== undefined) return { response: said.response, ...said.upgraded };
  const { statusCode = 0 } = said.response;
  if (statusCode < 400) {
    connection.destroy();
    throw new ApiError('', `invalid upgrade response: status code ${statusCode}`);
  }
  await refuse(upgrading, raw, said.response);
  connection.destroy();
  return undefined;
}

async function reach(backend: Backend, raw: UpgradeResponse, call: Call): Promise<{ said: Said; connection: Socket }> {
  let connection: Socket | undefined;
  try {
    const made = await dial(backend);
    connection = made;
    raw.heed();
    raw.once('close', () => made.destroy());
    if (raw.destroyed) made.destroy();
    return { said: await ask(made, call, (body) => body.end()), connection: made };
  } catch (error) {
    connection?.destroy();
    throw new ApiError('', `error dialing backend: ${(error as Error).message}`, untold(error));
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

/** What a back end says in refusing, or as much of it as comes in time. */
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
    // the back end's connection broke: what came is told
  }
  clearTimeout(timer);
  return Buffer.concat(parts).subarray(0, REFUSAL_BYTES);
}

/** The 101, as the back end has put it. */
function switching({ rawHeaders }: IncomingMessage): string {
  const lines: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`;
}

/** how long a side that has nothing more to say may still be heard */
const LINGER_MS = 10_000;

/** Two connections as one: each takes what the other gives, no faster than it can, and they end together. */
export function join(one: Taken, other: Taken): void {
  if (one.head.length > 0) other.socket.write(one.head);
  if (other.head.length > 0) one.socket.write(other.head);
  carry(one.socket, other.socket);
  carry(other.socket, one.socket);
}

function carry(from: Duplex, to: Duplex): void {
  from.pipe(to);
  // it is always followed by its close
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
