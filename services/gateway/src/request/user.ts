import type { JsonObject } from '@tidegate/schema';
/** The user of a request. */
export interface User {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** further attributes: the token, the pod, and the like */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** when the credential expires, in milliseconds since 1970; undefined: never */
  readonly until?: number;
}

export const AUTHENTICATED = 'system:authenticated';
/** the extra field that identifies the credential */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
/** The groups of the service accounts of a namespace, without system:authenticated. */
export function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

export const UNAUTHENTICATED = 'system:unauthenticated';
/** The user of a request whose authentication failed. */
export const unknownUser: User = { name: '', uid: '', groups: [] };
export const anonymous: User = { name: 'system:anonymous', uid: '', groups: [UNAUTHENTICATED] };

/** Adds system:authenticated, except for anonymous users. */
export function withAuthenticated(name: string, groups: readonly string[]): string[] {
  const isComplete = name === anonymous.name || groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return isComplete ? [...groups] : [...groups, AUTHENTICATED];
}

/** A user as reviews and audit events show it. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const more = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    groups: [...groups],
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
  };
}
