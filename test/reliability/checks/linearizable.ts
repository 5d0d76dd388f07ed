import type { ChangeLog } from '../history/change-log.ts';
import { describeOperation, describeState, type Operation } from '../history/history.ts';
import type { Check } from './check.ts';
import { EMPTY, type Register, step } from './register.ts';

/**
 * Invariant (linearizability): for each object there is one order of all operations in which each takes effect at one
 * moment between its start and its end, and in which each reply is the one that `register.ts` gives. An operation with
 * an unknown outcome takes effect at any moment after its start, or never.
 *
 * The search is Wing and Gong's, with Lowe's memory of what was tried: an operation is taken when no other one that is
 * not yet taken had ended before it began, and is given back when nothing fits after it. Versions make it cheap: they
 * are part of the replies, so a wrong order dies at once.
 */
export const linearizable: Check = ({ operations }, log) => {
  const byKey = Map.groupBy(operations, ({ key }) => key);
  return [...byKey].flatMap(([key, ofKey]) => {
    const certain = ofKey.filter((operation) => !isUnseen(operation, log));
    const stuck = search(certain, log);
    if (stuck === undefined) return [];
    // writes that nobody saw may have happened all the same, and explain it
    const all = certain.length === ofKey.length ? stuck : search(ofKey, log);
    return all === undefined ? [] : [explain(key, all)];
  });
};

/** A read without an answer tells nothing; a write of that kind may have left no trace. */
function isUnseen({ ask, outcome }: Operation, log: ChangeLog): boolean {
  if (outcome.kind !== 'unknown') return outcome.kind === 'refused';
  if (ask.kind === 'get') return true;
  return ask.kind !== 'delete' && log.madeBy(ask.token) === undefined;
}

interface Stuck {
  readonly register: Register;
  /** one of these had to come next, and none could */
  readonly next: readonly Operation[];
}

interface Taken {
  readonly index: number;
  readonly before: Register;
}

/** undefined: there is an order. Otherwise the place where the longest attempt ended. */
function search(unsorted: readonly Operation[], log: ChangeLog): Stuck | undefined {
  const operations = unsorted
    .filter(({ ask, outcome }) => outcome.kind !== 'refused' && !(ask.kind === 'get' && outcome.kind === 'unknown'))
    .sort((a, b) => a.start - b.start);
  const steps = operations.map(({ ask, outcome }) => ({
    ask,
    outcome,
    seen: 'token' in ask ? log.madeBy(ask.token) : undefined,
  }));
  const order = new Order(operations);
  const tried = new Set<string>();
  const taken: Taken[] = [];
  let register = EMPTY;
  let furthest: { count: number; stuck: Stuck } = { count: -1, stuck: { register, next: [] } };
  let from = 0;
  while (!order.done()) {
    const index = order.candidates(from).find((candidate) => {
      const next = step(register, steps[candidate] as never);
      if (next === undefined) return false;
      const memory = order.memory(candidate, next);
      if (tried.has(memory)) return false;
      tried.add(memory);
      taken.push({ index: candidate, before: register });
      register = next;
      return true;
    });
    if (index !== undefined) {
      order.take(index);
      from = 0;
      continue;
    }
    if (taken.length > furthest.count) {
      const next = order.candidates(0).map((candidate) => operations[candidate] as Operation);
      furthest = { count: taken.length, stuck: { register, next } };
    }
    const last = taken.pop();
    if (last === undefined) return furthest.stuck;
    order.giveBack(last.index);
    register = last.before;
    from = last.index + 1;
  }
  return undefined;
}

/** Which operations are taken, of those sorted by start. Everything before `#first` is. */
class Order {
  readonly #operations: readonly Operation[];
  readonly #taken: boolean[];
  #first = 0;
  #furthest = 0;
  /** those with an end, which all must be taken */
  #left: number;

  constructor(operations: readonly Operation[]) {
    this.#operations = operations;
    this.#taken = operations.map(() => false);
    this.#left = operations.filter(({ end }) => Number.isFinite(end)).length;
  }

  done(): boolean {
    return this.#left === 0;
  }

  /** Those that may come next, from an index on: they began before any that is not taken had ended. */
  candidates(from: number): number[] {
    const found: number[] = [];
    let earliestEnd = Number.POSITIVE_INFINITY;
    for (let i = this.#first; i < this.#operations.length; i++) {
      const { start, end } = this.#operations[i] as Operation;
      if (start > earliestEnd) break;
      if (this.#taken[i]) continue;
      earliestEnd = Math.min(earliestEnd, end);
      if (i >= from) found.push(i);
    }
    return found.filter((i) => (this.#operations[i] as Operation).start <= earliestEnd);
  }

  take(index: number): void {
    this.#set(index, true);
    this.#furthest = Math.max(this.#furthest, index);
    while (this.#taken[this.#first]) this.#first++;
  }

  giveBack(index: number): void {
    this.#set(index, false);
    this.#first = Math.min(this.#first, index);
  }

  /** What is taken together with one more, and the state after: the rest of the search depends on nothing else. */
  memory(index: number, register: Register): string {
    let first = this.#first;
    while (this.#taken[first] || first === index) first++;
    let ahead = '';
    for (let i = first + 1; i <= Math.max(index, this.#furthest); i++) {
      if (this.#taken[i] || i === index) ahead += `,${i - first}`;
    }
    return `${first}${ahead}|${Object.values(register).join('|')}`;
  }

  #set(index: number, taken: boolean): void {
    this.#taken[index] = taken;
    if (Number.isFinite((this.#operations[index] as Operation).end)) this.#left += taken ? -1 : 1;
  }
}

function explain(key: string, { register, next }: Stuck): string {
  const { present, version, uid, base, patch, colour } = register;
  const held = present
    ? describeState({ key, version: version ?? Number.NaN, uid: uid ?? '?', base, patch, colour })
    : `nothing (last at ${register.floor})`;
  return `${key}: after the longest order there was ${held}, and none of these fits:\n${next.map((one) => `  ${describeOperation(one)}`).join('\n')}`;
}
