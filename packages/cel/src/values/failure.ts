/** An error of an evaluation. The operators `||` and `&&` can ignore it. */
export class Failure extends Error {}

/** The evaluation has exceeded its cost limit. No operator ignores this. */
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
