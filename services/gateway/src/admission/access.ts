import type { AskAccess } from '@tidegate/kinds';
import { AUTHENTICATED, accountGroups, type User } from '../authn/user.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { question } from '../authz/question.ts';

const ACCOUNT = /^system:serviceaccount:([^:]*):[^:]*$/;

/** Whether this user, or a service account that an expression names instead, may do something. */
export function accessOf(authorizer: Authorizer, user: User): AskAccess {
  return ({ serviceAccount, ...asked }) => {
    const info = question({ version: '*', isResource: asked.path === undefined, ...asked });
    return authorizer.decide(serviceAccount === undefined ? user : accountNamed(serviceAccount), info);
  };
}

function accountNamed(name: string): User {
  const [, namespace = ''] = ACCOUNT.exec(name) ?? [];
  return { name, uid: '', groups: [...accountGroups(namespace), AUTHENTICATED] };
}
