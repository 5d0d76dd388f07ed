import type { AskAccess } from '@tidegate/kinds';
import { Query, type RequestInfo } from '@tidegate/request-info';
import { AUTHENTICATED, type User } from '../authn/user.ts';
import { authorize } from '../authz/authorize.ts';

const ACCOUNT = /^system:serviceaccount:([^:]*):[^:]*$/;

/** Whether this user, or a service account that an expression names instead, may do something. */
export function accessOf(user: User): AskAccess {
  return ({ serviceAccount, ...question }) => {
    const { path, verb, group = '', resource = '', subresource = '', namespace = '', name = '' } = question;
    const info: RequestInfo = {
      isResource: path === undefined,
      verb,
      path: path ?? '',
      group,
      version: '*',
      resource,
      subresource,
      namespace,
      name,
      subpath: '',
      query: new Query(''),
    };
    const refused = authorize(serviceAccount === undefined ? user : accountNamed(serviceAccount), info);
    return { allowed: refused === undefined, reason: refused?.message ?? '' };
  };
}

function accountNamed(name: string): User {
  const [, namespace = ''] = ACCOUNT.exec(name) ?? [];
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED];
  return { name, uid: '', groups };
}
