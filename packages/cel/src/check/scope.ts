import type { Type } from '../types/type.ts';

/** The variables in scope: those of the environment and of the enclosing loops. */
export class Scope {
  readonly #outer: Scope | undefined;
  readonly #variables: ReadonlyMap<string, Type>;

  constructor(variables: ReadonlyMap<string, Type>, outer?: Scope) {
    this.#variables = variables;
    this.#outer = outer;
  }

  find(name: string): Type | undefined {
    return this.#variables.get(name) ?? this.#outer?.find(name);
  }

  with(variables: Iterable<readonly [string, Type]>): Scope {
    return new Scope(new Map(variables), this);
  }
}
