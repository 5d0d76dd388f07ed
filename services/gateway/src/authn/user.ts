/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** what else is known of them: from which token, for which pod */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const anonymous: User = { name: 'system:anonymous', uid: '', groups: [UNAUTHENTICATED] };
