import { type CollectionEvent, eventKind, type Item, itemOf, itemParts } from '@tidegate/collection';
import { toRevision } from '@tidegate/revision';
import type { Change } from '@tidegate/wire';

/**
 * Converts changes of the log into events with the state before each.
 *
 * Invariant: `#states` holds the objects that the watch selects as of the last converted change. No other earlier state
 * is needed: a change of any other object adds it to the selection, or is not for this watch.
 */
export class PastEvents {
  readonly #states = new Map<string, Item>();
  readonly #selects: (item: Item) => boolean;
  /** false without a selector, when the kind of a change is enough */
  readonly #remembers: boolean;

  constructor(selection: { selective: boolean; matches: (item: Item) => boolean }) {
    this.#selects = selection.matches;
    this.#remembers = selection.selective;
  }

  /** Adds an object in its state at the start of the watch. */
  begin(item: Item): void {
    if (this.#remembers) this.#remember(item);
  }

  /** item: the new state, in the version of the watch */
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
    // an object that was not selected before appears as created
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
