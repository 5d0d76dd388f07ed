import { type JsonObject, printTime } from '@tidegate/schema';

/** What a look at a server behind the API comes to: the words of its condition. */
export interface Verdict {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const PASSED: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' };

export function unavailable(reason: string, message: string): Verdict {
  return { status: 'False', reason, message };
}

export function saysSo(condition: JsonObject | undefined, { status, reason, message }: Verdict): boolean {
  return condition?.status === status && condition.reason === reason && condition.message === message;
}

/** The conditions with this one among them; its time changes with its status alone. */
export function withVerdict(conditions: readonly JsonObject[], verdict: Verdict, now = printTime()): JsonObject[] {
  const before = conditions.find(({ type }) => type === 'Available');
  const since = before?.status === verdict.status ? (before.lastTransitionTime ?? now) : now;
  const next = { type: 'Available', ...verdict, lastTransitionTime: since };
  if (before === undefined) return [...conditions, next];
  return conditions.map((one) => (one === before ? next : one));
}
