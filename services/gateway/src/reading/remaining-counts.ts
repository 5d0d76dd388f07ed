import type { Position } from '@tidegate/collection';
import type { Revision } from '@tidegate/revision';

/** The end of a page of a list. */
export interface PageEnd {
  readonly resource: string;
  readonly namespace: string;
  readonly revision: Revision;
  readonly last: Position;
}

const MAX_ENTRIES = 1024;

/**
 * The number of objects after recently served pages. The count after a page is that of the previous page minus its
 * objects: so the store need not count what follows a page.
 */
export class RemainingCounts {
  readonly #counts = new Map<string, number>();

  note(end: PageEnd, count: number): void {
    const name = keyOf(end);
    // the newest entries are last
    this.#counts.delete(name);
    this.#counts.set(name, count);
    if (this.#counts.size <= MAX_ENTRIES) return;
    const [oldest] = this.#counts.keys();
    this.#counts.delete(oldest as string);
  }

  after(end: PageEnd): number | undefined {
    return this.#counts.get(keyOf(end));
  }
}

function keyOf({ resource, namespace, revision, last }: PageEnd): string {
  return `${resource} ${namespace} ${revision} ${last.namespace}/${last.name}`;
}
