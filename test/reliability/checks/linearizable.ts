import type { ChangeLog } from '../history/change-log.ts';
import { describeOperation, describeState, type Operation } from '../history/history.ts';
import type { Check } from './check.ts';
import { EMPTY, type Register, step } from './register.ts';

/**
 * Invariant (linearizability): for each object there is one order of all operations in which each takes effect at one
 * moment between its start and its end, and in which each reply is the one that `register.ts` gives. An operation with
 * an unknown outcome takes effect at any moment after its start, or never.
 *
 * The search is Wing and Gong's, with Lowe's cache of visited states: an operation is taken if no other untaken one had
 * ended before it began, and is untaken if nothing fits after it. The search is fast because replies contain versions,
 * so that a wrong order fails at once.
 */
export const linearizable: Check = ({ operations }, log) => {
  const byKey = Map.groupBy(operations, ({ key }) => key);
  return [...byKey].flatMap(([key, ofKey]) => {
    const certain = ofKey.filter((operation) => !isUnseen(operation, log));
    const stuck = search(certain, log);
    if (stuck === undefined) return [];
    // writes that no client saw may have taken effect and can explain the history
    const all = certain.length === ofKey.length ? stuck : search(ofKey, log);
    return all === undefined ? [] : [explain(key, all)];
  });
};

/** Whether an operation without an answer left no trace: a read, or a write whose state no client saw. */
function isUnseen({ request, outcome }: Operation, log: ChangeLog): boolean {
  if (outcome.kind !== 'unknown') return outcome.kind === 'rejected';
  if (request.kind === 'get') return true;
  return request.kind !== 'delete' && log.createdBy(request.token) === undefined;
}

interface Stuck {
  readonly register: Register;
  /** one of these must come next, but none fits */
  readonly next: readonly Operation[];
}

interface Taken {
  readonly index: number;
  readonly before: Register;
}

/** Returns undefined if there is an order, otherwise the point where the longest attempt failed. */
function search(unsorted: readonly Operation[], log: ChangeLog): Stuck | undefined {
  const operations = unsorted
    .filter(
      ({ request, outcome }) => outcome.kind !== 'rejected' && !(request.kind === 'get' && outcome.kind === 'unknown'),
    )
    .sort((a, b) => a.start - b.start);
  const steps = operations.map(({ request, outcome }) => ({
    request,
    outcome,
    seen: 'token' in request ? log.createdBy(request.token) : undefined,
  }));
  const order = new Order(operations);
  const visited = new Set<string>();
  const taken: Taken[] = [];
  let register = EMPTY;
  let furthest: { count: number; stuck: Stuck } = { count: -1, stuck: { register, next: [] } };
  let from = 0;
  while (!order.done()) {
    const index = order.candidates(from).find((candidate) => {
      const next = step(register, steps[candidate] as never);
      if (next === undefined) return false;
      const state = order.stateKey(candidate, next);
      if (visited.has(state)) return false;
      visited.add(state);
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
    order.untake(last.index);
    register = last.before;
    from = last.index + 1;
  }
  return undefined;
}

/** Tracks which operations are taken, in order of their start. All operations before `#first` are taken. */
class Order {
  readonly #operations: readonly Operation[];
  readonly #taken: boolean[];
  #first = 0;
  #furthest = 0;
  /** the number of untaken operations with an end, which all must be taken */
  #remaining: number;

  constructor(operations: readonly Operation[]) {
    this.#operations = operations;
    this.#taken = operations.map(() => false);
    this.#remaining = operations.filter(({ end }) => Number.isFinite(end)).length;
  }

  done(): boolean {
    return this.#remaining === 0;
  }

  /** The operations from an index on that may come next: no untaken operation had ended before their start. */
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

  untake(index: number): void {
    this.#set(index, false);
    this.#first = Math.min(this.#first, index);
  }

  /** Identifies the set of taken operations with one more, and the state after it: all that the further search depends on. */
  stateKey(index: number, register: Register): string {
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
    if (Number.isFinite((this.#operations[index] as Operation).end)) this.#remaining += taken ? -1 : 1;
  }
}

function explain(key: string, { register, next }: Stuck): string {
  const { present, version, uid, base, patch, colour } = register;
  const held = present
    ? describeState({ key, version: version ?? Number.NaN, uid: uid ?? '?', base, patch, colour })
    : `nothing (last version ${register.floor})`;
  return `${key}: after the longest order there was ${held}, and none of these fits:\n${next.map((one) => `  ${describeOperation(one)}`).join('\n')}`;
}
