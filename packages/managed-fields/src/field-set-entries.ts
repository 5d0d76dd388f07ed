import { EMPTY, FieldSet } from './field-set.ts';
import { keptFields } from './kept-fields.ts';
import { compareElements, type PathElement, sortElements } from './path-element.ts';

/** A level with more entries, or a longer one, is rarely built a second time, so it is not shared. */
const MOST_SHARED = 64;
const LONGEST_SHARED = 256;
/** So many levels by the same element after the same ones are searched; then the earlier ones are forgotten. */
const MOST_SIBLINGS = 32;

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
    const first = this.#next?.get(element);
    let siblings = 0;
    for (let level = first; level !== undefined; level = level.#sibling) {
      if (level.#member === member && level.#below === below) return level;
      siblings++;
    }
    const made = new Level(this, element, member, below);
    const isShared = this.#count < MOST_SHARED && element.length <= LONGEST_SHARED;
    if (isShared && keptFields.keeps(1 + below.size)) {
      if (siblings < MOST_SIBLINGS) made.#sibling = first;
      this.#next ??= new Map();
      this.#next.set(element, made);
    }
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

let nothing = new Level(undefined, '', false, EMPTY);
let generation = keptFields.generation;

/** The level without entries, from which all shared ones lead on. */
function firstLevel(): Level {
  if (generation !== keptFields.generation) {
    generation = keptFields.generation;
    nothing = new Level(undefined, '', false, EMPTY);
  }
  return nothing;
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
  #level = firstLevel();

  /** Each element may be added only once. */
  add(element: PathElement, member: boolean, below: FieldSet): void {
    if (member || !below.isEmpty) this.#level = this.#level.with(element, member, below);
  }

  finish(): FieldSet {
    return this.#level.set;
  }
}
