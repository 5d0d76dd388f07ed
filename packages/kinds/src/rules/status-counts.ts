import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { type FieldError, invalidValue } from '@tidegate/status';

/** Numbers of a status that depend on each other. */
export interface StatusCounts {
  /** none of them may be negative */
  readonly natural: readonly string[];
  /** none of them may exceed `replicas` */
  readonly withinReplicas?: readonly string[];
  /** the name of readyReplicas in the error when availableReplicas exceeds it */
  readonly ready?: string;
  /** it must not decrease */
  readonly grows?: string;
}

/** The errors of the numbers that a controller reports. */
export function countErrors(counts: StatusCounts, object: JsonObject, old: JsonObject): FieldError[] {
  const { natural, withinReplicas = [], ready, grows } = counts;
  const errors: FieldError[] = [];
  const number = (name: string, of = object) => (isJsonObject(of.status) ? Number(of.status[name] ?? 0) : 0);
  const refuse = (name: string, why: string) => errors.push(invalidValue(`status.${name}`, number(name), why));
  for (const name of natural) if (number(name) < 0) refuse(name, 'must be greater than or equal to 0');
  for (const name of withinReplicas) {
    if (number(name) > number('replicas')) refuse(name, 'cannot be greater than status.replicas');
  }
  if (ready !== undefined && number('availableReplicas') > number('readyReplicas')) {
    refuse('availableReplicas', `cannot be greater than ${ready}`);
  }
  if (grows !== undefined && number(grows) < number(grows, old)) refuse(grows, 'cannot be decremented');
  return errors;
}
