import { delayMs, type Logger, type Retry } from '@tidegate/service-kit';
import type { CollectionDigest, DigestResponse } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';
import { areEqual, digestOf } from './digest.ts';

interface SelfCheckOptions {
  everySeconds: number;
  /** reads the store's digests, at one revision */
  digests: () => Promise<DigestResponse>;
  /** undefined while they are loading */
  collections: () => Collections | undefined;
  /** waits until the feed has reached this revision */
  reach: (revision: number) => Promise<void>;
  /** called when these collections are wrong and must be read again */
  repair: (collections: Collections, error: Error) => void;
  compared: () => void;
  diverged: (resource: string) => void;
  log: Logger;
  /** counts failed comparisons */
  retry: Retry;
  closing: AbortSignal;
}

/**
 * Compares the collections of this replica with the store, every few minutes.
 *
 * Invariant: a difference is reported until a later comparison finds none. After a difference all collections are read
 * again, because the cause may have affected more than the collection that differs.
 */
export class SelfCheck {
  readonly #options: SelfCheckOptions;
  #trouble: string | undefined;

  constructor(options: SelfCheckOptions) {
    this.#options = options;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  async run(): Promise<void> {
    const { everySeconds, closing, retry } = this.#options;
    while (!closing.aborted) {
      // a random pause spreads the comparisons of replicas; after a difference the repair is checked soon
      const pauseMs = this.#trouble === undefined ? everySeconds * 1000 * (0.75 + Math.random() / 2) : 1000;
      await delayMs(pauseMs, closing);
      if (closing.aborted) return;
      try {
        await this.#compare();
        retry.succeeded();
      } catch (error) {
        retry.failedNow(error);
      }
    }
  }

  async #compare(): Promise<void> {
    const { collections, digests, reach, repair, diverged, log } = this.#options;
    const ours = collections();
    if (ours === undefined) return;
    const { revision, digests: theirs } = await digests();
    await reach(revision);
    const different = await this.#differences(ours, revision, theirs);
    // the collections were rebuilt in the meantime, or the window no longer has the revision: the next pass compares again
    if (different === undefined || collections() !== ours) return;
    this.#options.compared();
    if (different.length === 0) {
      this.#trouble = undefined;
      return;
    }
    for (const resource of different) diverged(resource);
    this.#trouble = `${different.join(', ')} differed from the store at revision ${revision}`;
    log.error({ revision, resources: different }, 'Collections differ from the store; all collections are read again.');
    repair(ours, new Error(this.#trouble));
  }

  async #differences(
    ours: Collections,
    revision: number,
    theirs: readonly CollectionDigest[],
  ): Promise<string[] | undefined> {
    const different: string[] = [];
    const expected = new Map(theirs.map((digest) => [digest.resource, digest]));
    for (const resource of new Set([...ours.resources(), ...expected.keys()])) {
      const state = ours.at(resource, revision);
      if (state === undefined) return undefined;
      const own = await digestOf(resource, state.snapshot, state.corrupt);
      const other = expected.get(resource);
      if (other === undefined ? own.count > 0 : !areEqual(own, other)) different.push(resource);
    }
    return different;
  }
}
