/** What an expression comes to that has no value: an error that `||` and `&&` may still pass over. */
export class Failure extends Error {}

/** The evaluation has cost more than it may. Nothing passes over that. */
export class CostExceeded extends Failure {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export function noSuchOverload(): Failure {
  return new Failure('no such overload');
}

export function noSuchKey(key: string): Failure {
  return new Failure(`no such key: ${key}`);
}
