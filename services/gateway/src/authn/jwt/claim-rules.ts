import { dynShape, Environment, listShape, mapShape, objectShape, type Program, stringShape } from '@tidegate/cel';

const LONG = 1 << 20;
const text = stringShape(LONG);
export const claimsShape = mapShape(dynShape, LONG);
const userFields = {
  username: text,
  uid: text,
  groups: listShape(text, LONG),
  extra: mapShape(listShape(text, LONG), LONG),
};
export const userShape = objectShape(
  'kubernetes.UserInfo',
  new Map(Object.entries(userFields).map(([name, shape]) => [name, { name, shape }])),
);

/** What expressions about a token can look at. */
export const claimsEnvironment = new Environment({ claims: claimsShape });
/** What expressions about the user can look at whom a token makes. */
export const userEnvironment = new Environment({ user: userShape });

/** Where something of a user comes from: a claim with a prefix, or an expression. */
export type Source = { readonly claim: string; readonly prefix: string } | { readonly program: Program };

/** Something that must hold. */
export interface Condition {
  readonly program: Program;
  readonly expression: string;
  /** what is told where it does not; empty: the expression alone */
  readonly message: string;
}

/** How the claims of a token become a user. */
export interface ClaimRules {
  readonly username: Source;
  /** undefined: in none, without a uid */
  readonly groups: Source | undefined;
  readonly uid: Source | undefined;
  readonly extra: ReadonlyArray<{ readonly key: string; readonly program: Program }>;
  readonly required: ReadonlyMap<string, string>;
  readonly claimConditions: readonly Condition[];
  readonly userConditions: readonly Condition[];
}
