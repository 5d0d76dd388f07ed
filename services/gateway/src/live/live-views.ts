import type { Revision } from '@tidegate/revision';
import type { Fault } from '@tidegate/service-kit';

/** A view that writes may change. */
export interface Followed {
  readonly resource: string;
  through(revision: Revision): Promise<unknown>;
}

/**
 * The views that react to writes. When a client receives the answer of its write, its effect is visible in this
 * gateway: the definition is served, the role is used, the webhook is called.
 */
export class LiveViews {
  readonly #byResource = new Map<string, Followed[]>();
  readonly #faults: Pick<Fault, 'track'>;

  /** faults: where a view that does not follow in time is reported */
  constructor(faults: Pick<Fault, 'track'>) {
    this.#faults = faults;
  }

  add(...views: readonly Followed[]): void {
    for (const view of views) {
      this.#byResource.set(view.resource, [...(this.#byResource.get(view.resource) ?? []), view]);
    }
  }

  /**
   * Waits until the views of a resource include a committed revision. A view that does not follow in time does not fail
   * the write: it is committed, and takes effect when this gateway receives the change.
   */
  async through(resource: string, revision: Revision): Promise<void> {
    const views = this.#byResource.get(resource);
    if (views === undefined) return;
    for (const view of views) await this.#faults.track(view.through(revision));
  }
}
