import { hash, randomBytes } from 'node:crypto';

/** A bearer token, and by what it is looked up. */
export interface BearerToken {
  readonly text: string;
  readonly digest: string;
}

/** Of this process alone. The digests never leave it, so that it is enough that the key comes first. */
const KEY = randomBytes(32).toString('base64');

/**
 * By this tokens are looked up and remembered, never by themselves: the time of a look-up says nothing about a token, and
 * no dump of this process's tables shows one.
 */
export function digestOf(text: string): string {
  return hash('sha256', KEY + text, 'base64');
}

const HEADER = /^bearer +(\S+) *$/i;

/** undefined: the header holds something else. */
export function bearerOf(authorization: string): BearerToken | undefined {
  const text = HEADER.exec(authorization)?.[1];
  return text === undefined ? undefined : { text, digest: digestOf(text) };
}
