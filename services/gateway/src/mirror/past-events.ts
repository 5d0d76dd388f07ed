import { type CollectionEvent, eventKind, type Item, itemOf, itemParts } from '@tidegate/collection';
import { toRevision } from '@tidegate/revision';
import type { Change } from '@tidegate/wire';

/**
 * Changes as the log tells them, turned into events with the state before each.
 *
 * Invariant: `#states` holds the objects that the watch selected as of the last change that was turned. They are all
 * that a watch needs to know of the past: a change of an object that is not among them is news, or not for it.
 */
export class PastEvents {
  readonly #states = new Map<string, Item>();
  readonly #selects: (item: Item) => boolean;
  /** without a selector the kind of a change says all */
  readonly #remembers: boolean;

  constructor(selection: { selective: boolean; matches: (item: Item) => boolean }) {
    this.#selects = selection.matches;
    this.#remembers = selection.selective;
  }

  /** An object as it was where the watch begins. */
  begin(item: Item): void {
    if (this.#remembers) this.#remember(item);
  }

  /** item: what the change made, in the version that is watched */
  event(change: Change, item = itemOf(itemParts(change))): CollectionEvent {
    const deleted = change.kind === eventKind.deleted;
    const previous = this.#previousOf(item, change);
    if (this.#remembers) {
      if (deleted) this.#states.delete(nameOf(item));
      else this.#remember(item);
    }
    return {
      kind: change.kind,
      revision: toRevision(change.revision),
      namespace: item.namespace,
      name: item.name,
      item: deleted ? undefined : item,
      previous,
      traceparent: '',
    };
  }

  #previousOf(item: Item, { kind }: Change): Item | undefined {
    if (kind === eventKind.created) return undefined;
    // what was not selected before is told like something that was not there
    return this.#remembers ? this.#states.get(nameOf(item)) : item;
  }

  #remember(item: Item): void {
    if (this.#selects(item)) this.#states.set(nameOf(item), item);
    else this.#states.delete(nameOf(item));
  }
}

function nameOf({ namespace, name }: Item): string {
  return `${namespace}/${name}`;
}
