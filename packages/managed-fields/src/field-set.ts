import { keptFields } from './kept-fields.ts';
import { compareElements, type PathElement, sortElements } from './path-element.ts';

/**
 * A set of fields of an object.
 *
 *   spec.replicas, and an item of spec.finalizers:
 *
 *     elements  f:spec
 *     members   false                       spec itself is not in the set
 *     below     ┬ elements  f:finalizers         f:replicas
 *               ├ members   false                true
 *               └ below     { v:"a" }            undefined
 *
 * Invariant: elements are sorted and unique; an element that is not a member has a set below it; no set below is empty.
 * Sets are immutable, so the result of an operation may share the sets below, and each set keeps the last result of each
 * operation: the same few sets meet again at most writes, because the objects of a controller have the same fields.
 */
export class FieldSet {
  readonly elements: readonly PathElement[];
  readonly members: readonly boolean[];
  readonly below: ReadonlyArray<FieldSet | undefined>;
  /** the number of elements at all levels */
  readonly size: number;
  /** index of a large set, built at its first lookup */
  #places: Map<PathElement, number> | undefined;
  /** the last result of each operation */
  #results: Partial<Record<Operation, Result>> | undefined;

  constructor(
    elements: readonly PathElement[],
    members: readonly boolean[],
    below: ReadonlyArray<FieldSet | undefined>,
  ) {
    this.elements = elements;
    this.members = members;
    this.below = below;
    let size = elements.length;
    for (const deeper of below) if (deeper !== undefined) size += deeper.size;
    this.size = size;
  }

  get isEmpty(): boolean {
    return this.elements.length === 0;
  }

  /** The fields in at least one of the sets. */
  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this;
    if (this.isEmpty) return other;
    return this.#known('union', other) ?? this.#kept('union', other, combine(this, other, unionEntry));
  }

  /** The fields in both sets. */
  intersection(other: FieldSet): FieldSet {
    if (other.elements.length < this.elements.length) return other.intersection(this);
    if (this.isEmpty) return this;
    return (
      this.#known('intersection', other) ?? this.#kept('intersection', other, this.#each(other, intersectionEntry))
    );
  }

  /** The fields that are not in the other set. The fields below a removed field are kept. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return this.#known('difference', other) ?? this.#kept('difference', other, this.#each(other, differenceEntry));
  }

  /** The fields that are not in the other set. The fields below a removed field are removed, too. */
  without(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return this.#known('without', other) ?? this.#kept('without', other, this.#each(other, withoutEntry));
  }

  #known(operation: Operation, other: FieldSet): FieldSet | undefined {
    const last = this.#results?.[operation];
    return last?.other === other && last.generation === keptFields.generation ? last.set : undefined;
  }

  #kept(operation: Operation, other: FieldSet, set: FieldSet): FieldSet {
    if (!keptFields.keeps(other.size + set.size)) return set;
    this.#results ??= {};
    this.#results[operation] = { other, set, generation: keptFields.generation };
    return set;
  }

  /** Maps each element of this set, given the same element of the other set. The cost depends on this set only. */
  #each(other: FieldSet, pick: (a: Entry, b: Entry | undefined) => Entry): FieldSet {
    const elements: PathElement[] = [];
    const members: boolean[] = [];
    const below: Array<FieldSet | undefined> = [];
    for (const [i, element] of this.elements.entries()) {
      const j = other.#indexOf(element);
      const there = j < 0 ? undefined : { member: other.members[j] as boolean, below: other.below[j] };
      const picked = pick({ member: this.members[i] as boolean, below: this.below[i] }, there);
      const rest = picked.below?.isEmpty ? undefined : picked.below;
      if (!picked.member && rest === undefined) continue;
      elements.push(element);
      members.push(picked.member);
      below.push(rest);
    }
    return elements.length === 0 ? EMPTY : new FieldSet(elements, members, below);
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    return (
      this.elements.length === other.elements.length &&
      this.elements.every((element, i) => {
        const [a, b] = [this.below[i], other.below[i]];
        if (element !== other.elements[i] || this.members[i] !== other.members[i]) return false;
        return a === undefined || b === undefined ? a === b : a.equals(b);
      })
    );
  }

  /** Whether the element itself is a member. */
  has(element: PathElement): boolean {
    const i = this.#indexOf(element);
    return i >= 0 && (this.members[i] as boolean);
  }

  /** The part of the set below this element. */
  under(element: PathElement): FieldSet | undefined {
    const i = this.#indexOf(element);
    return i < 0 ? undefined : this.below[i];
  }

  hasPath(path: readonly PathElement[]): boolean {
    let set: FieldSet | undefined = this;
    for (const element of path.slice(0, -1)) set = set?.under(element);
    return set?.has(path.at(-1) ?? '') ?? false;
  }

  /** The paths of all members; the members of a level come before those of deeper levels. */
  *paths(prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
    for (const [i, element] of this.elements.entries()) if (this.members[i]) yield [...prefix, element];
    for (const [i, element] of this.elements.entries()) yield* this.below[i]?.paths([...prefix, element]) ?? [];
  }

  #indexOf(element: PathElement): number {
    if (this.elements.length > FEW) {
      this.#places ??= new Map(this.elements.map((one, i) => [one, i]));
      return this.#places.get(element) ?? -1;
    }
    let [low, high] = [0, this.elements.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = compareElements(this.elements[middle] as PathElement, element);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** For up to this many elements a search is as fast as building a map. */
const FEW = 16;

export const EMPTY = new FieldSet([], [], []);

interface Entry {
  readonly member: boolean;
  readonly below: FieldSet | undefined;
}

const GONE: Entry = { member: false, below: undefined };

type Operation = 'union' | 'intersection' | 'difference' | 'without';

/** The result of an operation with another set. */
interface Result {
  readonly other: FieldSet;
  readonly set: FieldSet;
  readonly generation: number;
}

function unionEntry(a: Entry | undefined, b: Entry | undefined): Entry {
  return {
    member: (a?.member ?? false) || (b?.member ?? false),
    below: a?.below === undefined ? b?.below : b?.below === undefined ? a.below : a.below.union(b.below),
  };
}

function intersectionEntry(a: Entry, b: Entry | undefined): Entry {
  return {
    member: a.member && (b?.member ?? false),
    below: b?.below === undefined ? undefined : a.below?.intersection(b.below),
  };
}

function differenceEntry(a: Entry, b: Entry | undefined): Entry {
  return {
    member: a.member && !(b?.member ?? false),
    below: b?.below === undefined ? a.below : a.below?.difference(b.below),
  };
}

function withoutEntry(a: Entry, b: Entry | undefined): Entry {
  if (b?.member) return GONE;
  return { member: a.member, below: b?.below === undefined ? a.below : a.below?.without(b.below) };
}

function combine(a: FieldSet, b: FieldSet, pick: (a: Entry | undefined, b: Entry | undefined) => Entry): FieldSet {
  const elements: PathElement[] = [];
  const members: boolean[] = [];
  const below: Array<FieldSet | undefined> = [];
  for (let i = 0, j = 0; i < a.elements.length || j < b.elements.length; ) {
    const [left, right] = [a.elements[i], b.elements[j]];
    const order = left === undefined ? 1 : right === undefined ? -1 : compareElements(left, right);
    const picked = pick(
      order <= 0 ? { member: a.members[i] as boolean, below: a.below[i] } : undefined,
      order >= 0 ? { member: b.members[j] as boolean, below: b.below[j] } : undefined,
    );
    const rest = picked.below?.isEmpty ? undefined : picked.below;
    if (picked.member || rest !== undefined) {
      elements.push((order <= 0 ? left : right) as PathElement);
      members.push(picked.member);
      below.push(rest);
    }
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return elements.length === 0 ? EMPTY : new FieldSet(elements, members, below);
}

/** The union of all sets, combined pairwise, so that each set is copied only log n times. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length <= 2) return (sets[0] ?? EMPTY).union(sets[1] ?? EMPTY);
  const middle = sets.length >> 1;
  return unionOf(sets.slice(0, middle)).union(unionOf(sets.slice(middle)));
}

/** Builds a set from paths, which may be added in any order. */
export class FieldSetBuilder {
  #member = false;
  #below: Map<PathElement, FieldSetBuilder> | undefined;

  /** The whole object cannot be owned, so an empty path adds nothing. */
  add(path: readonly PathElement[]): void {
    let builder: FieldSetBuilder = this;
    for (const element of path) builder = builder.at(element);
    if (builder !== this) builder.#member = true;
  }

  finish(): FieldSet {
    if (this.#below === undefined) return EMPTY;
    const elements = sortElements([...this.#below.keys()]);
    const members: boolean[] = [];
    const below: Array<FieldSet | undefined> = [];
    for (const element of elements) {
      const builder = this.#below.get(element) as FieldSetBuilder;
      members.push(builder.#member);
      below.push(builder.#below === undefined ? undefined : builder.finish());
    }
    return new FieldSet(elements, members, below);
  }

  /** Adds the path of this builder to the set. */
  include(): void {
    this.#member = true;
  }

  /** The builder of the set below an element. It adds nothing until a path is included there. */
  at(element: PathElement): FieldSetBuilder {
    this.#below ??= new Map();
    let builder = this.#below.get(element);
    if (builder === undefined) {
      builder = new FieldSetBuilder();
      this.#below.set(element, builder);
    }
    return builder;
  }
}

/** The set of the given paths. */
export function fieldSet(...paths: ReadonlyArray<readonly PathElement[]>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.add(path);
  return builder.finish();
}
