import {
  Collection,
  type CorruptObject,
  type Hole,
  itemParts,
  type Segment,
  type Snapshot,
  WindowMemory,
} from '@tidegate/collection';
import { toRevision } from '@tidegate/revision';
import type { Change, Key } from '@tidegate/wire';

/** The objects of one resource. */
export interface Loaded {
  /** in key order */
  readonly segments: readonly Segment[];
  readonly corrupt: CorruptObject[];
}

const NOTHING: Loaded = { segments: [], corrupt: [] };

/**
 * All collections of the system.
 *
 * Invariant: all of them are complete through the same revision, `through`.
 */
export class Collections {
  readonly #byResource = new Map<string, Collection>();
  readonly #base: number;
  readonly #windows: WindowMemory;
  readonly #holes: Hole[] = [];
  #through: number;

  /** `objects`: all objects at the revision `base`, in the order (resource, namespace, name) */
  constructor(base: number, objects: ReadonlyMap<string, Loaded>, windows: WindowMemory) {
    this.#base = base;
    this.#through = base;
    this.#windows = windows;
    for (const [resource, loaded] of objects) this.#byResource.set(resource, this.#collection(loaded));
  }

  get through(): number {
    return this.#through;
  }

  /** For a resource without objects this returns an empty collection, which is not kept. */
  get(resource: string): Collection {
    const collection = this.#byResource.get(resource) ?? this.#collection(NOTHING, new WindowMemory({ bytes: 0 }));
    collection.completeThrough(toRevision(this.#through));
    return collection;
  }

  apply(change: Change): void {
    const { kind, traceparent, corrupt } = change;
    const { resource } = change.key;
    if (!this.#byResource.has(resource)) this.#byResource.set(resource, this.#collection(NOTHING));
    this.get(resource).apply({ kind, state: itemParts(change), traceparent, corrupt });
  }

  /** Records a range of revisions that are lost, although clients may have seen them. */
  addHole(hole: Hole): void {
    for (const collection of this.#byResource.values()) collection.window.addHole(hole);
    this.#holes.push(hole);
  }

  completeThrough(revision: number): void {
    this.#through = revision;
  }

  resources(): string[] {
    return [...this.#byResource.keys()];
  }

  /** A collection at a revision; undefined where the window does not reach back to it. */
  at(resource: string, revision: number): { snapshot: Snapshot; corrupt: CorruptObject[] } | undefined {
    const collection = this.get(resource);
    const snapshot = collection.at(toRevision(revision));
    return snapshot && { snapshot, corrupt: collection.corruptObjects() };
  }

  /** The keys of all unreadable objects. */
  corrupt(): Key[] {
    return [...this.#byResource].flatMap(([resource, collection]) =>
      collection.corruptObjects().map(({ namespace, name }) => ({ resource, namespace, name })),
    );
  }

  get size(): number {
    let objects = 0;
    for (const collection of this.#byResource.values()) objects += collection.size;
    return objects;
  }

  /** The number of objects of each collection. */
  sizes(): Array<[resource: string, objects: number]> {
    return [...this.#byResource].map(([resource, { size }]) => [resource, size]);
  }

  #collection(loaded: Loaded, memory = this.#windows): Collection {
    const base = toRevision(this.#base);
    return new Collection({
      revision: base,
      floor: base,
      ...loaded,
      holes: this.#holes,
      memory,
    });
  }
}
