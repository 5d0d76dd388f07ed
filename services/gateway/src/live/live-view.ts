import type { Collection } from '@tidegate/collection';
import { type Revision, toRevision } from '@tidegate/revision';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import { serviceUnavailable } from '@tidegate/status';
import type { Mirrors } from '../mirror/mirrors.ts';

export type MirrorPort = Pick<Mirrors, 'keep' | 'follow' | 'peek' | 'collection'>;

/** The identity and revision of an entry's object. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
}

/** A value, and the object that it was made from. */
export interface Entry<T> extends Place {
  readonly made: T;
}

/** The difference between two states of a view. A changed object is in both lists. */
export interface Changes<T> {
  readonly added: ReadonlyArray<Entry<T>>;
  readonly removed: ReadonlyArray<Entry<T>>;
}

export interface ViewOptions<T> {
  readonly mirrors: MirrorPort;
  readonly resource: string;
  /**
   * Makes the value of one object. `before` is the value of its earlier state. Returning `before` means that nothing
   * relevant has changed.
   */
  readonly make: (object: JsonObject, place: Place, before: T | undefined) => T;
  /** Called when the view is loaded, and after each change. */
  readonly changed?: (changes: Changes<T>) => void;
  /** how long `known` and `through` wait */
  readonly timeoutMs?: number;
  /** the message of the 503 after this time */
  readonly unknown: string;
}

const TIMEOUT_MS = 10_000;

/**
 * One value for each object of a collection, updated with its mirror. Each revision of an object is parsed once.
 *
 * Invariant: after `through(revision)` the view has the value of every object at that revision, or at a later one.
 */
export class LiveView<T> {
  readonly resource: string;
  readonly #options: ViewOptions<T>;
  #entries: ReadonlyMap<string, Entry<T>> = new Map();
  #values: readonly T[] = [];
  /** computed on first use */
  #byNamespace: ReadonlyMap<string, ReadonlyArray<Entry<T>>> | undefined;
  #isKnown = false;

  constructor(options: ViewOptions<T>) {
    this.resource = options.resource;
    this.#options = options;
  }

  start(): void {
    const { mirrors } = this.#options;
    mirrors.keep(this.resource);
    mirrors.follow(this.resource, () => this.#update());
  }

  /** Whether the collection is loaded. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The values, in the order of the keys of their objects. */
  get values(): readonly T[] {
    return this.#values;
  }

  /** The values of one namespace; "" stands for all. */
  inNamespace(namespace: string): readonly T[] {
    if (namespace === '') return this.#values;
    this.#byNamespace ??= Map.groupBy(this.#entries.values(), (entry) => entry.namespace);
    return this.#byNamespace.get(namespace)?.map(({ made }) => made) ?? [];
  }

  get size(): number {
    return this.#entries.size;
  }

  get(name: string, namespace = ''): T | undefined {
    return this.#entries.get(keyOf({ namespace, name }))?.made;
  }

  /** Resolves when the view is loaded. */
  async known(): Promise<void> {
    if (!this.#isKnown) await this.through(toRevision(0));
  }

  /** Resolves when the view includes a revision that exists. */
  async through(revision: Revision, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS): Promise<void> {
    const { mirrors, unknown } = this.#options;
    const mirrored = mirrors.peek(this.resource);
    if (this.#isKnown && mirrored !== undefined && mirrored.through >= revision) return;
    const collection = await mirrors.collection(this.resource, revision, timeoutMs);
    if (collection === undefined) throw serviceUnavailable(unknown);
    if (!this.#isKnown) this.#update();
  }

  #update(): void {
    const collection = this.#options.mirrors.peek(this.resource);
    if (collection === undefined) return;
    const isFirst = !this.#isKnown;
    const before = this.#entries;
    const { entries, changes } = this.#read(collection, before);
    this.#entries = entries;
    this.#byNamespace = undefined;
    this.#values = [...entries.values()].map(({ made }) => made);
    this.#isKnown = true;
    if (isFirst || changes.added.length + changes.removed.length > 0) this.#options.changed?.(changes);
  }

  #read(collection: Collection, before: ReadonlyMap<string, Entry<T>>) {
    const entries = new Map<string, Entry<T>>();
    const added: Array<Entry<T>> = [];
    const removed: Array<Entry<T>> = [];
    for (const { items, from, to } of collection.snapshot().runs('')) {
      for (const { namespace, name, revision, json } of items.slice(from, to)) {
        const key = keyOf({ namespace, name });
        const known = before.get(key);
        if (known?.revision === revision) {
          entries.set(key, known);
          continue;
        }
        const place = { namespace, name, revision };
        const made = this.#options.make(parseOwnJson(json), place, known?.made);
        const entry = { ...place, made };
        entries.set(key, entry);
        if (known !== undefined && known.made === made) continue;
        if (known !== undefined) removed.push(known);
        added.push(entry);
      }
    }
    for (const [key, entry] of before) if (!entries.has(key)) removed.push(entry);
    return { entries, changes: { added, removed } };
  }
}

/** A view of any values. */
export type AnyView = Pick<LiveView<unknown>, 'resource' | 'start' | 'isKnown' | 'known' | 'through'>;

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
