import { delayMs, type Logger, type Retry } from '@tidegate/service-kit';
import type { CollectionDigest, DigestResponse } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';
import { areEqual, digestOf } from './digest.ts';

interface SelfCheckOptions {
  everySeconds: number;
  /** the store's digests, at one revision */
  digests: () => Promise<DigestResponse>;
  /** undefined while they are being read */
  collections: () => Collections | undefined;
  /** asks the feed for this revision, and waits until it is there */
  reach: (revision: number) => Promise<void>;
  /** these collections are wrong: everything has to be read anew */
  repair: (collections: Collections, error: Error) => void;
  compared: () => void;
  diverged: (resource: string) => void;
  log: Logger;
  /** counts comparisons that could not be made */
  retry: Retry;
  closing: AbortSignal;
}

/**
 * Compares what this replica holds with what the store has, every few minutes.
 *
 * Invariant: a difference is told until a later comparison of everything found none. What differs is repaired by reading
 * everything anew: a cache that was wrong once is not trusted in part.
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
      // replicas do not ask all at once; after trouble the repair is looked at soon
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
    // it was rebuilt meanwhile, or the history does not reach back to the revision any more: next time
    if (different === undefined || collections() !== ours) return;
    this.#options.compared();
    if (different.length === 0) {
      this.#trouble = undefined;
      return;
    }
    for (const resource of different) diverged(resource);
    this.#trouble = `${different.join(', ')} differed from the store at revision ${revision}`;
    log.error({ revision, resources: different }, 'What is held here is not what the store has.');
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
