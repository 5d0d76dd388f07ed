import type { IncomingMessage } from 'node:http';
import type { RequestInfo } from '@tidegate/request-info';
import { internalError } from '@tidegate/status';
import type { Authorizer } from '../authz/authorizer.ts';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { AUTHENTICATED, accountGroups, anonymous, UNAUTHENTICATED, type User } from '../request/user.ts';
import { unescaped } from './front-proxy.ts';

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const GROUP = 'authentication.k8s.io';

type Rights = Pick<Authorizer, 'demand'>;

interface Impersonation {
  readonly name: string;
  readonly uid: string;
  readonly groups: string[];
  readonly extra: Record<string, string[]>;
}

/**
 * The user whom the headers of a request ask to impersonate. The sender must be authorized to impersonate each
 * requested attribute: the user, every group, the uid and every extra value.
 */
export async function impersonated(request: IncomingMessage, user: User, authorizer: Rights): Promise<User> {
  const target = impersonationIn(request.rawHeaders);
  if (target.name === '') {
    const asked = Object.keys(request.headers).filter((name) => name.startsWith(PREFIX));
    throw internalError(`requested ${asked.sort().join(', ')} without impersonating a user`);
  }
  const [, namespace = '', account = ''] = ACCOUNT.exec(target.name) ?? [];
  const demandRight = (whom: Partial<RequestInfo>) =>
    authorizer.demand(user, hypotheticalRequest({ isResource: true, verb: 'impersonate', ...whom }));
  if (account === '') await demandRight({ resource: 'users', name: target.name });
  else await demandRight({ resource: 'serviceaccounts', namespace, name: account });
  for (const name of target.groups) await demandRight({ resource: 'groups', name });
  if (target.uid !== '') await demandRight({ group: GROUP, resource: 'uids', name: target.uid });
  for (const [key, values] of Object.entries(target.extra)) {
    for (const name of values) await demandRight({ group: GROUP, resource: 'userextras', subresource: key, name });
  }
  const { until } = user;
  return { ...target, groups: groupsOf(target, namespace), ...(until !== undefined && { until }) };
}

/** Whether a request has impersonation headers. */
export function isImpersonated({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => name.startsWith(PREFIX));
}

/** Repeated headers must not be joined, because group names may contain commas. */
function impersonationIn(rawHeaders: readonly string[]): Impersonation {
  const target = { name: '', uid: '', groups: [] as string[] };
  const extra = new Map<string, string[]>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] as string;
    if (name === 'impersonate-user') target.name ||= value;
    else if (name === 'impersonate-uid') target.uid ||= value;
    else if (name === 'impersonate-group') target.groups.push(value);
    else if (name.startsWith(EXTRA)) {
      const key = unescaped(name.slice(EXTRA.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  return { ...target, extra: Object.fromEntries(extra) };
}

/** Adds the groups that Kubernetes implies: a service account's own where no groups are given, and (un)authenticated. */
function groupsOf({ name, groups }: Impersonation, namespace: string): string[] {
  const own = groups.length === 0 && namespace !== '' ? accountGroups(namespace) : groups;
  const usual = name === anonymous.name ? UNAUTHENTICATED : AUTHENTICATED;
  return own.includes(AUTHENTICATED) || own.includes(UNAUTHENTICATED) ? own : [...own, usual];
}
