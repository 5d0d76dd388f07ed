import type { AskAccess } from '@tidegate/kinds';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Decision } from '../authz/policy.ts';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { AUTHENTICATED, accountGroups, type User } from '../request/user.ts';

const ACCOUNT = /^system:serviceaccount:([^:]*):[^:]*$/;

/** Somebody else has to be asked first. */
class Undecided extends Error {
  readonly answered: Promise<unknown>;

  constructor(answered: Promise<unknown>) {
    super('somebody else has to be asked first');
    this.answered = answered;
  }
}

/** Whether this user, or a service account that an expression names instead, may do something. */
export function accessOf(authorizer: Pick<Authorizer, 'knownDecision' | 'judge'>, user: User): AskAccess {
  const answers = new Map<string, Decision>();
  return ({ serviceAccount, ...asked }) => {
    const info = hypotheticalRequest({ version: '*', isResource: asked.path === undefined, ...asked });
    const who = serviceAccount === undefined ? user : accountNamed(serviceAccount);
    const known = authorizer.knownDecision(who, info);
    if (known !== undefined) return known;
    const key = JSON.stringify([serviceAccount, asked]);
    const answer = answers.get(key);
    if (answer !== undefined) return answer;
    throw new Undecided(authorizer.judge(who, info).then((decision) => answers.set(key, decision)));
  };
}

/**
 * What an evaluation comes to that asks for access. Expressions do not wait: where a webhook has to be asked, it is, and
 * the evaluation begins again. Each time it knows one answer more.
 */
export async function onceDecided<T>(evaluate: () => T): Promise<T> {
  for (;;) {
    try {
      return evaluate();
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      await error.answered;
    }
  }
}

function accountNamed(name: string): User {
  const [, namespace = ''] = ACCOUNT.exec(name) ?? [];
  return { name, uid: '', groups: [...accountGroups(namespace), AUTHENTICATED] };
}
