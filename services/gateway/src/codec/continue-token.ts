import type { Position } from '@tidegate/collection';
import { badRequest } from '@tidegate/status';

/** Where the next page begins: which revision, and after which object. */
export interface ContinueToken {
  /** -1: the latest, the pages no longer being one snapshot */
  revision: number;
  after: Position;
}

/** A token as a client brings it back. */
export interface GivenToken extends ContinueToken {
  /** it was given so long ago that its pages are no longer promised to be one snapshot */
  readonly isOver: boolean;
}

/** The history that is kept may be longer; whoever relies on it finds out at another time. */
const LIFETIME_MS = 300_000;

const VERSION = 'meta.k8s.io/v1';

/** No name is like this: nothing at all, a step in a path, or anything with a control character, zero first of all. */
const UNCLEAN = /^\.{0,2}$|\p{Cc}/u;

/** Opaque to clients; the form is Kubernetes' own because tools look into it, and until when it holds. */
export function encodeContinue({ revision, after }: ContinueToken, now = Date.now()): string {
  const start = `${after.namespace === '' ? '' : `${after.namespace}/`}${after.name}\0`;
  const until = revision === -1 ? {} : { until: now + LIFETIME_MS };
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start, ...until })).toString('base64url');
}

export function decodeContinue(text: string, now = Date.now()): GivenToken {
  let token: { v?: unknown; rv?: unknown; start?: unknown; until?: unknown };
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch (error) {
    throw badRequest(`invalid continue token: ${(error as Error).message}`, error);
  }
  const { v, rv, start, until } = token ?? {};
  if (v !== VERSION) throw badRequest('invalid continue token: unknown version');
  if (!Number.isSafeInteger(rv) || rv === 0 || (rv as number) < -1)
    throw badRequest('invalid continue token: it names no version');
  if (typeof start !== 'string') throw badRequest('invalid continue token: it names no place');
  const parts = start.replace(/\0$/, '').split('/');
  if (parts.length > 2 || parts.some((part) => UNCLEAN.test(part))) {
    throw badRequest('invalid continue token: its place is not a clean path');
  }
  const [namespace, name] = parts.length === 2 ? (parts as [string, string]) : ['', parts[0] as string];
  return { revision: rv as number, after: { namespace, name }, isOver: typeof until === 'number' && until < now };
}
