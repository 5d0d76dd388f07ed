import type { Place } from '../../rules/place.ts';

/** The cost limits of one expression, and of all rules of a schema. */
const EXPRESSION_BUDGET = 10_000_000;
const SCHEMA_BUDGET = 100_000_000;
const MAX_NAMED = 4;
const MAX_COST = 2 ** 64;
const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/** Adds up the estimated costs of the rules of a schema, and rejects costs above the limit. */
export class RuleCosts {
  readonly #mostExpensive: Array<{ readonly place: Place; readonly cost: number }> = [];
  #total = 0;

  add(place: Place, what: 'rule' | 'messageExpression', cost: number): void {
    if (cost > EXPRESSION_BUDGET) place.forbidden(overBudget(`estimated ${what} cost`, cost, EXPRESSION_BUDGET));
    this.#total = Math.min(this.#total + cost, MAX_COST);
    if (cost < SCHEMA_BUDGET / 100) return;
    this.#mostExpensive.push({ place, cost });
    this.#mostExpensive.sort((a, b) => b.cost - a.cost).splice(MAX_NAMED);
  }

  finish(schema: Place): void {
    if (this.#total <= SCHEMA_BUDGET) return;
    for (const { place } of this.#mostExpensive) {
      place.forbidden('contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema');
    }
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    schema.forbidden(overBudget(what, this.#total, SCHEMA_BUDGET));
  }
}

/** The cost of an expression that is evaluated this number of times. */
export function timesCost(cost: number, times: number): number {
  return cost === 0 ? 0 : Math.min(cost * times, MAX_COST);
}

function overBudget(what: string, cost: number, budget: number): string {
  const factor = cost / budget;
  const times = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  return `${what} exceeds budget by factor of ${times}x ${ADVICE}`;
}
