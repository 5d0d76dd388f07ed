import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { type FieldError, invalidValue } from '@tidegate/status';

/** Numbers of a status that depend on each other. */
export interface StatusCounts {
  /** none of them may be negative */
  readonly nonNegative: readonly string[];
  /** none of them may exceed `replicas` */
  readonly withinReplicas?: readonly string[];
  /** the name of readyReplicas in the error when availableReplicas exceeds it */
  readonly ready?: string;
  /** it must not decrease */
  readonly nonDecreasing?: string;
}

/** The errors of the numbers that a controller reports. */
export function countErrors(counts: StatusCounts, object: JsonObject, old: JsonObject): FieldError[] {
  const { nonNegative, withinReplicas = [], ready, nonDecreasing } = counts;
  const errors: FieldError[] = [];
  const number = (name: string, of = object) => (isJsonObject(of.status) ? Number(of.status[name] ?? 0) : 0);
  const reject = (name: string, why: string) => errors.push(invalidValue(`status.${name}`, number(name), why));
  for (const name of nonNegative) if (number(name) < 0) reject(name, 'must be greater than or equal to 0');
  for (const name of withinReplicas) {
    if (number(name) > number('replicas')) reject(name, 'cannot be greater than status.replicas');
  }
  if (ready !== undefined && number('availableReplicas') > number('readyReplicas')) {
    reject('availableReplicas', `cannot be greater than ${ready}`);
  }
  if (nonDecreasing !== undefined && number(nonDecreasing) < number(nonDecreasing, old))
    reject(nonDecreasing, 'cannot be decremented');
  return errors;
}
