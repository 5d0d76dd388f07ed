import type { Position } from '@tidegate/collection';
import { badRequest } from '@tidegate/status';

/** Where the next page begins: which revision, and after which object. */
export interface ContinueToken {
  /** -1: the latest revision; the pages are then not from one snapshot */
  revision: number;
  after: Position;
}

/** A token that a client sent, decoded. */
export interface DecodedContinueToken extends ContinueToken {
  /** the token is older than the time for which pages of one snapshot are guaranteed */
  readonly isExpired: boolean;
}

/** Tokens expire after this time even if the history is still kept, so that clients do not rely on more. */
const LIFETIME_MS = 300_000;

const VERSION = 'meta.k8s.io/v1';

/** What no name or namespace may be: empty, `.`, `..`, or text with a control character (a zero byte above all). */
const INVALID_SEGMENT = /^\.{0,2}$|\p{Cc}/u;

/** Opaque to clients. The format is that of Kubernetes, because some tools decode it; `until` is the expiry time. */
export function encodeContinue({ revision, after }: ContinueToken, now = Date.now()): string {
  const start = `${after.namespace === '' ? '' : `${after.namespace}/`}${after.name}\0`;
  const until = revision === -1 ? {} : { until: now + LIFETIME_MS };
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start, ...until })).toString('base64url');
}

export function decodeContinue(text: string, now = Date.now()): DecodedContinueToken {
  let token: { v?: unknown; rv?: unknown; start?: unknown; until?: unknown };
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch (error) {
    throw badRequest(`invalid continue token: ${(error as Error).message}`, error);
  }
  const { v, rv, start, until } = token ?? {};
  if (v !== VERSION) throw badRequest('invalid continue token: unknown version');
  if (!Number.isSafeInteger(rv) || rv === 0 || (rv as number) < -1)
    throw badRequest('invalid continue token: it has no revision');
  if (typeof start !== 'string') throw badRequest('invalid continue token: it has no start key');
  const parts = start.replace(/\0$/, '').split('/');
  if (parts.length > 2 || parts.some((part) => INVALID_SEGMENT.test(part))) {
    throw badRequest('invalid continue token: its start key is not a valid path');
  }
  const [namespace, name] = parts.length === 2 ? (parts as [string, string]) : ['', parts[0] as string];
  return { revision: rv as number, after: { namespace, name }, isExpired: typeof until === 'number' && until < now };
}
