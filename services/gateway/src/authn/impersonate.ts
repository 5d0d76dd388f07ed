import type { IncomingMessage } from 'node:http';
import type { RequestInfo } from '@tidegate/request-info';
import { internalError } from '@tidegate/status';
import type { Authorizer } from '../authz/authorizer.ts';
import { question } from '../authz/request-attributes.ts';
import { AUTHENTICATED, accountGroups, anonymous, UNAUTHENTICATED, type User } from '../request/user.ts';
import { unescaped } from './front-proxy.ts';

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const GROUP = 'authentication.k8s.io';

type Rights = Pick<Authorizer, 'demand'>;

interface Wish {
  readonly name: string;
  readonly uid: string;
  readonly groups: string[];
  readonly extra: Record<string, string[]>;
}

/**
 * Who the request is to be from: whoever sends it, or another one whom its headers name, and whom its sender may stand in
 * for, in every respect that is asked for.
 */
export async function impersonated(request: IncomingMessage, user: User, authorizer: Rights): Promise<User> {
  const wish = wishOf(request.rawHeaders);
  if (wish.name === '') {
    const asked = Object.keys(request.headers).filter((name) => name.startsWith(PREFIX));
    throw internalError(`requested ${asked.sort().join(', ')} without impersonating a user`);
  }
  const [, namespace = '', account = ''] = ACCOUNT.exec(wish.name) ?? [];
  const mayBe = (whom: Partial<RequestInfo>) =>
    authorizer.demand(user, question({ isResource: true, verb: 'impersonate', ...whom }));
  if (account === '') await mayBe({ resource: 'users', name: wish.name });
  else await mayBe({ resource: 'serviceaccounts', namespace, name: account });
  for (const name of wish.groups) await mayBe({ resource: 'groups', name });
  if (wish.uid !== '') await mayBe({ group: GROUP, resource: 'uids', name: wish.uid });
  for (const [key, values] of Object.entries(wish.extra)) {
    for (const name of values) await mayBe({ group: GROUP, resource: 'userextras', subresource: key, name });
  }
  const { until } = user;
  return { ...wish, groups: groupsOf(wish, namespace), ...(until !== undefined && { until }) };
}

/** Whether a request names somebody else. */
export function isImpersonated({ headers }: IncomingMessage): boolean {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
}

/** Headers that stand more than once are not to be joined: names may have commas. */
function wishOf(rawHeaders: readonly string[]): Wish {
  const wish = { name: '', uid: '', groups: [] as string[] };
  const extra = new Map<string, string[]>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] as string;
    if (name === 'impersonate-user') wish.name ||= value;
    else if (name === 'impersonate-uid') wish.uid ||= value;
    else if (name === 'impersonate-group') wish.groups.push(value);
    else if (name.startsWith(EXTRA)) {
      const key = unescaped(name.slice(EXTRA.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  return { ...wish, extra: Object.fromEntries(extra) };
}

/** Everybody who is somebody is in the group of those; a service account is in those of its own, unless others are named. */
function groupsOf({ name, groups }: Wish, namespace: string): string[] {
  const own = groups.length === 0 && namespace !== '' ? accountGroups(namespace) : groups;
  const usual = name === anonymous.name ? UNAUTHENTICATED : AUTHENTICATED;
  return own.includes(AUTHENTICATED) || own.includes(UNAUTHENTICATED) ? own : [...own, usual];
}
