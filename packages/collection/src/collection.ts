import { type Revision, toRevision } from '@tidegate/revision';
import type { CorruptObject } from './corrupt-object.ts';
import { type CollectionEvent, type EventKind, eventKind } from './event.ts';
import { type Item, type ItemParts, itemOf } from './item.ts';
import type { Position } from './key-order.ts';
import type { Segment } from './segment.ts';
import { Snapshot } from './snapshot.ts';
import { Tree } from './tree.ts';
import { EventWindow, type Hole } from './window.ts';
import type { WindowMemory } from './window-memory.ts';

export interface CollectionChange {
  kind: EventKind;
  /** the state after the change; for a deletion the last state, at the revision of the deletion */
  state: ItemParts;
  traceparent: string;
  /** the reason why the state cannot be read; empty for a readable state */
  corrupt?: string;
}

interface Kept {
  readonly snapshot: Snapshot;
  usedAt: number;
}

interface CollectionOptions {
  /** the state's revision */
  revision: Revision;
  /** `history` has every event after this revision */
  floor: Revision;
  /** the objects in key order */
  segments: readonly Segment[];
  /** objects that exist but cannot be read */
  corrupt?: Iterable<CorruptObject>;
  history?: Iterable<CollectionEvent>;
  holes?: Iterable<Hole>;
  /** the memory that all windows share */
  memory: WindowMemory;
  now?: () => number;
  /** the items of lists have no apiVersion and kind */
  typeless?: boolean;
}

/** A snapshot whose pages are being read is kept for this time after its last use. */
const KEEP_MS = 300_000;
const KEEP_COUNT = 64;

/**
 * One collection: its current state, its recent events, and its state at any revision between.
 *
 * Invariant: the tree is exactly the state at `through`: every change up to it was applied once, in order. Unreadable
 * objects are in `corrupt` and not in the tree. The history begins again when an object becomes unreadable or
 * readable, because no event can represent such a change.
 */
export class Collection {
  readonly #tree: Tree;
  readonly window: EventWindow;
  readonly #memory: WindowMemory;
  readonly #now: () => number;
  readonly #typeless: boolean;
  readonly #kept = new Map<Revision, Kept>();
  readonly #corrupt = new Map<string, CorruptObject>();
  /** revision of the last change of this collection; the state is the same from it to `through` */
  #changed: Revision;
  #through: Revision;
  #frozen: Snapshot | undefined;
  #stateBytes = 0;

  constructor(options: CollectionOptions) {
    this.window = new EventWindow(options.floor, options.holes, options.memory);
    this.#memory = options.memory;
    this.#now = options.now ?? (() => performance.now());
    this.#typeless = options.typeless ?? false;
    this.#changed = options.revision;
    this.#through = options.revision;
    this.#tree = Tree.of(options.segments);
    for (const { items } of options.segments) for (const item of items) this.#stateBytes += sizeOf(item);
    for (const object of options.corrupt ?? []) this.#corrupt.set(pathOf(object), object);
    for (const event of options.history ?? []) this.window.append(event);
    this.#memory.trim();
  }

  get through(): Revision {
    return this.#through;
  }

  /** The approximate memory of the state and of older states that only the history needs. */
  get bytes(): number {
    return this.#stateBytes + this.window.bytes;
  }

  /** The same without the history. */
  get stateBytes(): number {
    return this.#stateBytes;
  }

  get size(): number {
    return this.#tree.size;
  }

  get(namespace: string, name: string): Item | undefined {
    return this.#tree.get({ namespace, name });
  }

  /** The unreadable objects of one namespace ("" for all). */
  corruptObjects(namespace = ''): CorruptObject[] {
    if (this.#corrupt.size === 0) return [];
    return [...this.#corrupt.values()].filter((object) => namespace === '' || object.namespace === namespace);
  }

  isCorrupt(position: Position): boolean {
    return this.#corrupt.size > 0 && this.#corrupt.has(pathOf(position));
  }

  /**
   * Applies a change. The result is undefined if no event can represent it; the history then begins again after
   * it.
   */
  apply(change: CollectionChange): CollectionEvent | undefined {
    const { kind, corrupt = '' } = change;
    const state = corrupt === '' ? change.state : this.#lastReadable(change);
    if (this.#corrupt.size > 0 && this.#corrupt.delete(pathOf(change.state))) {
      this.window.cut(toRevision(change.state.revision - 1));
    }
    if (state === undefined) return this.#removeUnreadable(change);
    const item = itemOf(state, this.#typeless);
    const deleted = kind === eventKind.deleted;
    const previous = deleted ? this.#tree.delete(item) : this.#tree.set(item);
    previous?.leaveSegment();
    this.#stateBytes += (deleted ? 0 : sizeOf(item)) - sizeOf(previous);
    const event: CollectionEvent = {
      kind,
      revision: item.revision,
      namespace: item.namespace,
      name: item.name,
      item: deleted ? undefined : item,
      previous: previous ?? (deleted ? item : undefined),
      traceparent: change.traceparent,
    };
    this.window.append(event);
    this.#memory.trim();
    this.#moveTo(item.revision);
    return event;
  }

  /** For the deletion of a corrupt object: its last readable state, if this collection has it. */
  #lastReadable({ kind, state }: CollectionChange): ItemParts | undefined {
    const item = kind === eventKind.deleted ? this.#tree.get(state) : undefined;
    return item === undefined ? undefined : { ...state, ...item.stored() };
  }

  #removeUnreadable({ kind, state, corrupt = '' }: CollectionChange): undefined {
    const { namespace, name, revision } = state;
    this.#stateBytes -= sizeOf(this.#tree.delete(state));
    if (kind !== eventKind.deleted) this.#corrupt.set(pathOf(state), { namespace, name, revision, why: corrupt });
    this.window.cut(revision);
    this.#moveTo(revision);
    return undefined;
  }

  #moveTo(revision: Revision): void {
    this.#changed = revision;
    this.#through = revision;
    this.#frozen = undefined;
  }

  /** Releases the memory. The collection must not be read after this. */
  close(): void {
    this.#memory.leave(this.window);
  }

  completeThrough(revision: Revision): void {
    if (revision > this.#through) this.#through = revision;
  }

  /** The current state. */
  snapshot(): Snapshot {
    this.#frozen ??= new Snapshot(this.#tree.freeze(), this.#changed);
    const { root, revision } = this.#frozen;
    return revision === this.#through ? this.#frozen : new Snapshot(root, this.#through);
  }

  /**
   * The state at exactly this revision: the nearest later state that is kept, without the events since. undefined
   * when the window does not reach back so far, or the revision is not yet complete. A kept state needs no window.
   */
  at(revision: Revision): Snapshot | undefined {
    if (revision > this.#through || this.window.isInHole(revision)) return undefined;
    const kept = this.#kept.get(revision);
    if (kept !== undefined) {
      kept.usedAt = this.#now();
      return kept.snapshot;
    }
    if (this.window.isLost(revision)) return undefined;
    if (revision >= this.#changed) return new Snapshot(this.snapshot().root, revision);
    const position = this.window.positionAfter(revision);
    if (position === undefined) return undefined;
    const nearest = this.#nearestKept(revision);
    const tree = new Tree(nearest?.root ?? this.#tree.freeze(), true);
    const last = nearest === undefined ? this.window.end : (this.window.positionAfter(nearest.revision) as number);
    for (let i = last - 1; i >= position; i--) undo(tree, this.window.at(i));
    return new Snapshot(tree.freeze(), revision);
  }

  /** The number of states that are kept for the next pages of lists. */
  get keptStates(): number {
    return this.#kept.size;
  }

  /** Keeps a snapshot while its pages are being read. */
  keep(snapshot: Snapshot): void {
    const now = this.#now();
    this.#kept.set(snapshot.revision, { snapshot, usedAt: now });
    for (const [revision, kept] of this.#kept) {
      if (now - kept.usedAt > KEEP_MS || this.#kept.size > KEEP_COUNT) this.#kept.delete(revision);
    }
  }

  #nearestKept(revision: Revision): Snapshot | undefined {
    let nearest: Snapshot | undefined;
    for (const { snapshot } of this.#kept.values()) {
      const usable = snapshot.revision >= revision && this.window.positionAfter(snapshot.revision) !== undefined;
      if (usable && (nearest === undefined || snapshot.revision < nearest.revision)) nearest = snapshot;
    }
    return nearest;
  }
}

const ITEM_BYTES = 400;

/** The memory of an item: its bytes, and the objects around them. */
function sizeOf(item: Item | undefined): number {
  return item === undefined ? 0 : item.size + ITEM_BYTES;
}

function pathOf({ namespace, name }: Position): string {
  return `${namespace}/${name}`;
}

function undo(tree: Tree, event: CollectionEvent): void {
  if (event.previous === undefined) tree.delete(event);
  else tree.set(event.previous);
}
