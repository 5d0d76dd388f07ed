import type { User } from '../../request/user.ts';
import type { BearerToken } from './token.ts';

/** Whose a token is. */
export interface TokenOwner {
  readonly user: User;
  /** for whom it is, of those that were asked about */
  readonly audiences?: readonly string[];
  /** how long it need not be asked again; 0 or nothing: at every request */
  readonly rememberMs?: number;
}

/** What an authority says of a token that is one of its own: whose it is, or why it is no good. */
export type TokenVerdict = TokenOwner | { readonly refused: string };

/** Somebody who knows whose tokens are: a file, the keys of service accounts, an issuer, a webhook. */
export interface TokenAuthority {
  /** its tokens are for this server, and say nothing of others */
  readonly isForUsAlone: boolean;
  /** undefined: it is none of its tokens. `audiences`: for whom it must be, if not for this server. */
  judge(
    token: BearerToken,
    audiences?: readonly string[],
  ): TokenVerdict | undefined | Promise<TokenVerdict | undefined>;
}
