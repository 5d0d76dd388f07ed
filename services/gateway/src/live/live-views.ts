import type { Revision } from '@tidegate/revision';
import type { Fault } from '@tidegate/service-kit';

/** A view that a write may change. */
export interface Followed {
  readonly resource: string;
  through(revision: Revision): Promise<unknown>;
}

/**
 * Every view of this gateway that reacts to what is written. A client that was told of its write sees the effect of it: the
 * definition serves, the role counts, the webhook is called.
 */
export class LiveViews {
  readonly #byResource = new Map<string, Followed[]>();
  readonly #faults: Pick<Fault, 'meet'>;

  /** faults: where a view that does not follow in time is reported */
  constructor(faults: Pick<Fault, 'meet'>) {
    this.#faults = faults;
  }

  add(...views: readonly Followed[]): void {
    for (const view of views) {
      this.#byResource.set(view.resource, [...(this.#byResource.get(view.resource) ?? []), view]);
    }
  }

  /**
   * Waits until the views of a resource include a revision that was committed here. A view that does not follow is no
   * failure of the write: the write is committed, and takes effect here as soon as this gateway hears of it.
   */
  async through(resource: string, revision: Revision): Promise<void> {
    const views = this.#byResource.get(resource);
    if (views === undefined) return;
    for (const view of views) await this.#faults.meet(view.through(revision));
  }
}
