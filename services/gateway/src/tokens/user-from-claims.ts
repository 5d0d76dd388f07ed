import {
  dynShape,
  Environment,
  fromData,
  ListValue,
  listShape,
  mapShape,
  objectShape,
  type Program,
  stringShape,
  type Value,
} from '@tidegate/cel';
import type { Json, JsonObject } from '@tidegate/schema';
import { CREDENTIAL_ID, type User, withAuthenticated } from '../request/user.ts';

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

/** The variables of expressions on the token's claims. */
export const claimsEnvironment = new Environment({ claims: claimsShape });
/** The variables of expressions on the resulting user. */
export const userEnvironment = new Environment({ user: userShape });

/** The source of one attribute of a user: a claim with a prefix, or an expression. */
export type Source = { readonly claim: string; readonly prefix: string } | { readonly program: Program };

/** A condition that every token, or every user, must meet. */
export interface Condition {
  readonly program: Program;
  readonly expression: string;
  /** the error text where the condition is not met; empty: the expression alone */
  readonly message: string;
}

/** How the claims of a token become a user. */
export interface ClaimRules {
  readonly username: Source;
  /** undefined: users have no groups */
  readonly groups: Source | undefined;
  readonly uid: Source | undefined;
  readonly extra: ReadonlyArray<{ readonly key: string; readonly program: Program }>;
  readonly required: ReadonlyMap<string, string>;
  readonly claimConditions: readonly Condition[];
  readonly userConditions: readonly Condition[];
}

/** The claims of a token do not yield a user. */
export class ClaimError extends Error {}

type Variables = ReadonlyMap<string, Value>;

/** The cost limit of each expression. */
const COST_LIMIT = 1_000_000;

/** The user of a token, by the claim rules of its issuer. */
export function userFromClaims(claims: JsonObject, rules: ClaimRules): User {
  const variables: Variables = new Map([['claims', fromData(claims, claimsShape)]]);
  const read = (what: string, source: Source | undefined) =>
    (source && readSource(what, source, { claims, variables })) ?? [];
  const [name = ''] = single('username', read('username', rules.username));
  if (name === '') throw new ClaimError('the username is empty');
  if ('claim' in rules.username && rules.username.claim === 'email') refuseUnverified(claims);
  const [uid = ''] = single('uid', read('uid', rules.uid));
  const groups = withAuthenticated(name, read('groups', rules.groups));
  const extra = extraOf(claims, rules, variables);
  for (const [claim, wanted] of rules.required) {
    const [said] = textsOf(claim, claimIn(claims, claim));
    if (said !== wanted)
      throw new ClaimError(`required claim ${claim} value does not match. Got = ${said}, want = ${wanted}`);
  }
  demand('claim validation expression', rules.claimConditions, variables);
  const user = { name, uid, groups, ...(Object.keys(extra).length > 0 && { extra }) };
  if (rules.userConditions.length > 0) {
    const info = { username: name, uid, groups: groups.slice(), extra };
    demand(
      'user info validation rule',
      rules.userConditions,
      new Map([['user', fromData(info as JsonObject, userShape)]]),
    );
  }
  return user;
}

function readSource(
  what: string,
  source: Source,
  { claims, variables }: { claims: JsonObject; variables: Variables },
): string[] {
  if ('program' in source) return listOf(what, evaluated(what, source.program, variables));
  const { claim, prefix } = source;
  // the groups claim is optional
  if (what === 'groups' && !Object.hasOwn(claims, claim)) return [];
  return textsOf(claim, claimIn(claims, claim), what === 'groups').map((value) => prefix + value);
}

function claimIn(claims: JsonObject, claim: string): Json {
  if (!Object.hasOwn(claims, claim)) throw new ClaimError(`claim ${JSON.stringify(claim)} not present`);
  return claims[claim] as Json;
}

function textsOf(claim: string, value: Json, mayBeMany = false): string[] {
  const values = mayBeMany && Array.isArray(value) ? value : [value];
  if (values.every((one) => typeof one === 'string')) return values as string[];
  throw new ClaimError(
    `claim ${JSON.stringify(claim)} is ${mayBeMany ? 'neither a string nor a list of strings' : 'not a string'}`,
  );
}

function single(what: string, values: string[]): string[] {
  if (values.length > 1) throw new ClaimError(`${what} claim expression must return a string`);
  return values;
}

function refuseUnverified(claims: JsonObject): void {
  if (Object.hasOwn(claims, 'email_verified') && claims.email_verified !== true)
    throw new ClaimError('email not verified');
}

function extraOf(claims: JsonObject, { extra }: ClaimRules, variables: Variables): Record<string, string[]> {
  const found = extra.map(({ key, program }): [string, string[]] => {
    const what = `extra ${key}`;
    return [key, listOf(what, evaluated(what, program, variables))];
  });
  const { jti } = claims;
  const credential: Array<[string, string[]]> =
    typeof jti === 'string' && jti !== '' ? [[CREDENTIAL_ID, [`JTI=${jti}`]]] : [];
  return Object.fromEntries([...credential, ...found.filter(([, values]) => values.length > 0)]);
}

function evaluated(what: string, program: Program, variables: Variables): Value {
  const outcome = program.run(variables, COST_LIMIT);
  if (outcome.kind === 'value') return outcome.value;
  throw new ClaimError(`error evaluating ${what} claim expression: ${outcome.error.message}`);
}

/** The strings in a value: null, a string or a list of strings. An empty string counts as none. */
function listOf(what: string, value: Value): string[] {
  if (value === null || value === '') return [];
  if (typeof value === 'string') return [value];
  const items = value instanceof ListValue ? [...value] : [undefined];
  if (items.every((item) => typeof item === 'string')) return items as string[];
  throw new ClaimError(
    `error evaluating ${what} claim expression: the result is neither a string nor a list of strings`,
  );
}

function demand(what: string, conditions: readonly Condition[], variables: Variables): void {
  for (const { program, expression, message } of conditions) {
    const outcome = program.run(variables, COST_LIMIT);
    if (outcome.kind === 'failed') throw new ClaimError(`error evaluating ${what}: ${outcome.error.message}`);
    if (outcome.value === true) continue;
    const more = message === '' ? '' : `: ${message}`;
    throw new ClaimError(`error evaluating ${what}: validation expression '${expression}' failed${more}`);
  }
}
