import type { IncomingMessage } from 'node:http';
import { badRequest, requestEntityTooLarge, tooManyRequests } from '@tidegate/status';
import { ClientCounters } from './client-allowances.ts';

/** The largest body of one request. */
export const MAX_BODY_BYTES = 3 << 20;
const MIB = 1 << 20;
const EMPTY = Buffer.alloc(0);

export interface IncomingBodiesConfig {
  readonly maxIncomingBodiesMib: number;
  readonly maxIncomingBodiesMibPerUser: number;
  readonly maxIncomingBodiesMibPerAddress: number;
}

/**
 * Reads request bodies, after authentication and authorization. Slow senders of many bodies hold no more memory than
 * the limits for one user, one address and all together allow.
 *
 * Invariant: the counts are the received bytes of incomplete bodies.
 */
export class IncomingBodies {
  readonly #limits: IncomingBodiesConfig;
  readonly #users = new ClientCounters();
  readonly #addresses = new ClientCounters();
  #bytes = 0;

  constructor(limits: IncomingBodiesConfig) {
    this.#limits = limits;
  }

  /** the received bytes of incomplete bodies */
  get bytes(): number {
    return this.#bytes;
  }

  read(raw: IncomingMessage, user: string): Promise<Buffer> {
    if (Number(raw.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.reject(tooLarge());
    // the end event was already emitted
    if (raw.destroyed) return Promise.reject(cutOff());
    // most bodies arrive together with the headers
    if (raw.complete && raw.readableLength <= MAX_BODY_BYTES)
      return Promise.resolve((raw.read() as Buffer | null) ?? EMPTY);
    return this.#collect(raw, user);
  }

  #collect(raw: IncomingMessage, user: string): Promise<Buffer> {
    const address = raw.socket?.remoteAddress ?? '';
    const parts: Buffer[] = [];
    let bytes = 0;
    return new Promise((resolve, reject) => {
      const settle = (error?: Error) => {
        raw.off('data', take).off('end', settle).off('close', cut).off('error', cut);
        this.#leave(user, address, bytes);
        if (error === undefined) resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, bytes));
        else {
          reject(error);
          // later bytes are discarded
          raw.on('error', () => {}).resume();
        }
      };
      const take = (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        const refusal = this.#enter(user, address, part.length);
        if (bytes > MAX_BODY_BYTES) settle(tooLarge());
        else if (refusal !== undefined) settle(tooManyRequests(refusal));
      };
      const cut = () => settle(cutOff());
      raw.on('data', take).on('end', settle).on('close', cut).on('error', cut);
    });
  }

  /** The error when these bytes exceed a limit. */
  #enter(user: string, address: string, bytes: number): string | undefined {
    this.#bytes += bytes;
    const ofUser = this.#users.enter(user, bytes);
    const ofAddress = this.#addresses.enter(address, bytes);
    const { maxIncomingBodiesMib: all, maxIncomingBodiesMibPerUser, maxIncomingBodiesMibPerAddress } = this.#limits;
    if (isAbove(ofUser, maxIncomingBodiesMibPerUser))
      return tooMany(`of user ${JSON.stringify(user)}`, maxIncomingBodiesMibPerUser);
    if (isAbove(ofAddress, maxIncomingBodiesMibPerAddress))
      return tooMany(`from ${address}`, maxIncomingBodiesMibPerAddress);
    return isAbove(this.#bytes, all) ? tooMany('of all users', all) : undefined;
  }

  #leave(user: string, address: string, bytes: number): void {
    this.#bytes -= bytes;
    this.#users.leave(user, bytes);
    this.#addresses.leave(address, bytes);
  }
}

/** The expected size of a body; without a Content-Length half of the largest size. */
export function bodyBytesOf(raw: IncomingMessage): number {
  if (!hasBody(raw)) return 0;
  const bytes = Number(raw.headers['content-length']);
  return bytes >= 0 ? Math.min(bytes, MAX_BODY_BYTES) : MAX_BODY_BYTES / 2;
}

/** Whether a request may have a body; HTTP/2 needs no Content-Length. */
export function hasBody(raw: IncomingMessage): boolean {
  const { stream } = raw as { stream?: { endAfterHeaders?: boolean } };
  if (stream !== undefined) return stream.endAfterHeaders === false;
  const { headers } = raw;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isAbove(bytes: number, mib: number): boolean {
  return mib > 0 && bytes > mib * MIB;
}

function tooMany(whose: string, mib: number): string {
  return `too many bytes of request bodies ${whose} are on their way here (the limit is ${mib} MiB): send fewer at a time`;
}

function tooLarge(): Error {
  return requestEntityTooLarge(`limit is ${MAX_BODY_BYTES}`);
}

function cutOff(): Error {
  return badRequest('the body of the request ended before it was complete');
}
