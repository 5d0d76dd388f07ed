import type { Position } from '@tidegate/collection';
import type { Revision } from '@tidegate/revision';

/** The end of a page, of which list. */
export interface PageEnd {
  readonly resource: string;
  readonly namespace: string;
  readonly revision: Revision;
  readonly last: Position;
}

const MOST = 1024;

/**
 * How many objects came after the pages that were answered here. The count after a page is that after the page before
 * it, less its own objects: with it a page from the store needs no look at what follows.
 */
export class RemainingCounts {
  readonly #counts = new Map<string, number>();

  note(end: PageEnd, count: number): void {
    const name = nameOf(end);
    // the newest stand last
    this.#counts.delete(name);
    this.#counts.set(name, count);
    if (this.#counts.size <= MOST) return;
    const [oldest] = this.#counts.keys();
    this.#counts.delete(oldest as string);
  }

  after(end: PageEnd): number | undefined {
    return this.#counts.get(nameOf(end));
  }
}

function nameOf({ resource, namespace, revision, last }: PageEnd): string {
  return `${resource} ${namespace} ${revision} ${last.namespace}/${last.name}`;
}
