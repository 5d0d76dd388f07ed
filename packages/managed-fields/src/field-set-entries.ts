import { EMPTY, FieldSet } from './field-set.ts';
import { compareElements, type PathElement, sortElements } from './path-element.ts';

/** A level with more entries is rarely built a second time, so its set is not shared. */
const MOST_SHARED = 64;
/** The most shared levels; then all are forgotten, and new ones are shared. */
const MOST_LEVELS = 20_000;

/**
 * One level of a set while it is built. Levels that were built by the same steps are the same level, and share their
 * set, so a set with the same fields as an earlier one is found instead of built, without sorting and without garbage:
 *
 *   {a: 1, b: {c: 2}}   level of b:   nothing ─ f:c ─> C                        the set of C is {f:c}
 *                       whole level:  nothing ─ f:a ─> A ─ f:b, C below ─> AB   the set of AB is {f:a, f:b, f:b/f:c}
 *
 * Invariant: a level never changes but for the steps that lead on from it, and its set, which is built when it is first
 * needed.
 */
class Level {
  readonly #before: Level | undefined;
  readonly #element: PathElement;
  readonly #member: boolean;
  readonly #below: FieldSet;
  readonly #count: number;
  #next: Map<PathElement, Level> | undefined;
  /** another level after the same one, by the same element with another member or set below */
  #sibling: Level | undefined;
  #set: FieldSet | undefined;

  constructor(before: Level | undefined, element: PathElement, member: boolean, below: FieldSet) {
    this.#before = before;
    this.#element = element;
    this.#member = member;
    this.#below = below;
    this.#count = before === undefined ? 0 : before.#count + 1;
  }

  with(element: PathElement, member: boolean, below: FieldSet): Level {
    if (this.#count >= MOST_SHARED) return new Level(this, element, member, below);
    this.#next ??= new Map();
    const first = this.#next.get(element);
    for (let level = first; level !== undefined; level = level.#sibling) {
      if (level.#member === member && level.#below === below) return level;
    }
    const made = new Level(this, element, member, below);
    made.#sibling = first;
    this.#next.set(element, made);
    if (++levels > MOST_LEVELS) forgetLevels();
    return made;
  }

  get set(): FieldSet {
    this.#set ??= this.#build();
    return this.#set;
  }

  #build(): FieldSet {
    if (this.#count === 0) return EMPTY;
    const elements: PathElement[] = new Array(this.#count);
    const members: boolean[] = new Array(this.#count);
    const below: Array<FieldSet | undefined> = new Array(this.#count);
    let isSorted = true;
    let after: PathElement | undefined;
    for (let level: Level = this, i = this.#count - 1; i >= 0; i--) {
      elements[i] = level.#element;
      members[i] = level.#member;
      below[i] = level.#below.isEmpty ? undefined : level.#below;
      isSorted &&= after === undefined || compareElements(level.#element, after) < 0;
      after = level.#element;
      level = level.#before as Level;
    }
    return isSorted ? new FieldSet(elements, members, below) : sortedSet(elements, members, below);
  }
}

let levels = 0;
let nothing = new Level(undefined, '', false, EMPTY);

function forgetLevels(): void {
  levels = 0;
  nothing = new Level(undefined, '', false, EMPTY);
}

function sortedSet(
  elements: readonly PathElement[],
  members: readonly boolean[],
  below: ReadonlyArray<FieldSet | undefined>,
): FieldSet {
  const places = new Map(elements.map((element, i) => [element, i]));
  const sorted = sortElements([...elements]);
  const inOrder = sorted.map((element) => places.get(element) as number);
  return new FieldSet(
    sorted,
    inOrder.map((i) => members[i] as boolean),
    inOrder.map((i) => below[i]),
  );
}

/** Builds one level of a set; elements may be added in any order. */
export class FieldSetEntries {
  #level = nothing;

  /** Each element may be added only once. */
  add(element: PathElement, member: boolean, below: FieldSet): void {
    if (member || !below.isEmpty) this.#level = this.#level.with(element, member, below);
  }

  finish(): FieldSet {
    return this.#level.set;
  }
}
