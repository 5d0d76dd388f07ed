import type { CheckAccess } from '@tidegate/kinds';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Decision } from '../authz/policy.ts';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { AUTHENTICATED, accountGroups, type User } from '../request/user.ts';

const ACCOUNT = /^system:serviceaccount:([^:]*):[^:]*$/;

/** Thrown by an evaluation that needs an answer of an authorization webhook; it is retried with that answer. */
class PendingDecision extends Error {
  readonly answered: Promise<unknown>;

  constructor(answered: Promise<unknown>) {
    super('the authorization decision is pending');
    this.answered = answered;
  }
}

/** Answers authorization checks of expressions for this user, or for a service account that the expression names. */
export function accessOf(authorizer: Pick<Authorizer, 'knownDecision' | 'decide'>, user: User): CheckAccess {
  const answers = new Map<string, Decision>();
  return ({ serviceAccount, ...attributes }) => {
    const info = hypotheticalRequest({ version: '*', isResource: attributes.path === undefined, ...attributes });
    const who = serviceAccount === undefined ? user : accountNamed(serviceAccount);
    const known = authorizer.knownDecision(who, info);
    if (known !== undefined) return known;
    const key = JSON.stringify([serviceAccount, attributes]);
    const answer = answers.get(key);
    if (answer !== undefined) return answer;
    throw new PendingDecision(authorizer.decide(who, info).then((decision) => answers.set(key, decision)));
  };
}

/**
 * Evaluates expressions that check authorization. Evaluation is synchronous: where an authorization webhook must be
 * called first, the evaluation starts again after its answer. Each attempt has one more answer.
 */
export async function evaluateWithAccess<T>(evaluate: () => T): Promise<T> {
  for (;;) {
    try {
      return evaluate();
    } catch (error) {
      if (!(error instanceof PendingDecision)) throw error;
      await error.answered;
    }
  }
}

function accountNamed(name: string): User {
  const [, namespace = ''] = ACCOUNT.exec(name) ?? [];
  return { name, uid: '', groups: [...accountGroups(namespace), AUTHENTICATED] };
}
