import type { JsonObject } from '@tidegate/schema';
/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** what else is known of them: from which token, for which pod */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** when that by which they are known ends, in milliseconds since 1970; undefined: never */
  readonly until?: number;
}

export const AUTHENTICATED = 'system:authenticated';
/** under which of the extra fields it is told what somebody was known by */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
/** What every service account of a namespace is in, beside those who are somebody. */
export function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

export const UNAUTHENTICATED = 'system:unauthenticated';
/** Of whom it is not known who they are, because what they showed is worth nothing. */
export const nobody: User = { name: '', uid: '', groups: [] };
export const anonymous: User = { name: 'system:anonymous', uid: '', groups: [UNAUTHENTICATED] };

/** Everybody who is somebody is in the group of those. */
export function withAuthenticated(name: string, groups: readonly string[]): string[] {
  const isSaid = name === anonymous.name || groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return isSaid ? [...groups] : [...groups, AUTHENTICATED];
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
