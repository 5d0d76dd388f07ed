import type { ObjectMeta, Registry } from '@tidegate/kinds';
import type { Closing, Logger } from '@tidegate/service-kit';
import type { StoredObject } from '@tidegate/wire';
import { ObjectPaths } from '../gateway/object-paths.ts';
import type { ControllerMetrics } from '../metrics.ts';
import type { GarbageQueue, Gateway, ObjectReader, OwnershipQueries, PostponedSuspect, Suspect } from '../port.ts';
import { GarbageRequests, RequestFailed } from './garbage-requests.ts';
import { type Found, type Ownership, readOwnership } from './owner-states.ts';
import { type Verdict, verdictOn } from './verdict.ts';

const PORTION = 512;
/** requests in flight at once */
const PARALLEL = 64;
const UNREACHABLE_DELAY_MS = 2000;
/** a kind that is not served now may be served later */
const UNKNOWN_KIND_DELAY_MS = 60_000;
const COUNT_MS = 1000;

export interface GarbageCollectorOptions {
  queue: GarbageQueue;
  ownership: OwnershipQueries;
  reads: ObjectReader;
  gateway: Gateway;
  registry: Registry;
  metrics: ControllerMetrics;
  log: Logger;
  closing: Closing;
  now?: () => number;
}

/**
 * Deletes objects whose owners no longer exist, releases owners that wait for their dependents, and removes references
 * to owners that orphan their dependents.
 *
 * Invariant: the collector keeps no state outside the database. Each examination decides from what is stored then, and
 * every request names the uid and the version of the decision, so a request that comes too late has no effect. A
 * suspect whose request failed stays in the queue.
 */
export class GarbageCollector {
  readonly #options: GarbageCollectorOptions;
  readonly #paths: ObjectPaths;
  readonly #requests: GarbageRequests;
  readonly #now: () => number;
  #countAt = 0;

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
    this.#paths = new ObjectPaths(options.registry);
    const { gateway, closing } = options;
    const dependents = async (owner: Found, limit: number) => {
      const keys = await options.queue.dependentsOf(owner, limit);
      return keys.length === 0 ? [] : (await options.reads.read(keys)).map(({ object }) => object && found(object));
    };
    this.#requests = new GarbageRequests({ gateway, paths: this.#paths, dependents, closing });
    this.#now = options.now ?? (() => performance.now());
  }

  /** Returns whether the next pass must follow at once. */
  async reconcile(): Promise<boolean> {
    const { queue, metrics } = this.#options;
    const isBehind = await queue.note();
    const due = await queue.due(PORTION);
    if (due.length > 0) await this.#examine(due);
    if (this.#now() >= this.#countAt) {
      const { all, waiting } = await queue.count();
      metrics.suspects.set({ state: 'waiting' }, waiting);
      metrics.suspects.set({ state: 'due' }, all - waiting);
      this.#countAt = this.#now() + COUNT_MS;
    }
    return isBehind || due.length > 0;
  }

  async #examine(suspects: readonly Suspect[]): Promise<void> {
    const { reads, ownership, queue } = this.#options;
    const outcomes = await reads.read(suspects.map(({ key }) => key));
    const gone = suspects.filter((_, i) => outcomes[i]?.found === false && outcomes[i]?.again !== true);
    const present = suspects.flatMap((suspect, i) => {
      const object = outcomes[i]?.object;
      return object ? [{ suspect, object: found(object) }] : [];
    });
    const owned = await readOwnership(
      ownership,
      this.#paths,
      present.map(({ object }) => object),
    );
    const settled: Suspect[] = [...gone];
    const postponed: PostponedSuspect[] = [];
    const entries = present.entries();
    let unreachable: unknown;
    const work = async () => {
      for (const [i, { suspect, object }] of entries) {
        if (this.#options.closing.aborted || unreachable !== undefined) return;
        const { owners, dependents } = owned[i] as Ownership;
        const verdict = verdictOn(object, owners, dependents);
        const delayMs = await this.#carryOut(verdict, suspect, object).catch((error: unknown) => {
          unreachable = error;
          return UNREACHABLE_DELAY_MS;
        });
        if (delayMs === undefined) continue;
        if (delayMs === 0) settled.push(suspect);
        else postponed.push({ suspect, delayMs });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    await queue.settle(settled);
    await queue.postpone(postponed);
    // The gateway or the database cannot be reached. These suspects are postponed nevertheless: should one of them be
    // the cause, the next pass examines others first.
    if (unreachable !== undefined) throw unreachable;
  }

  /** 0: settled. A time: examine it again after this time. undefined: it waits, and the queue has the reason. */
  async #carryOut(verdict: Verdict, suspect: Suspect, object: Found): Promise<number | undefined> {
    const { metrics, log, queue } = this.#options;
    try {
      switch (verdict.kind) {
        case 'settled':
          return 0;
        case 'wait':
          await queue.awaitDependents(suspect, object.uid);
          return undefined;
        case 'undecidable':
          return await this.#leave(verdict, suspect, object);
        case 'orphan':
          await this.#requests.orphan(object);
          break;
        case 'delete':
          await this.#requests.delete(object, verdict.propagation);
          break;
        case 'detach':
        case 'unblock':
          await this.#requests.setOwners(object, verdict.owners);
          break;
        case 'release':
          await this.#requests.setFinalizers(object, verdict.finalizers);
          break;
      }
      metrics.collected.inc({ action: verdict.kind });
      return 0;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      metrics.collected.inc({ action: 'failed' });
      log.debug(
        { err: error, key: object.key, verdict: verdict.kind },
        'Garbage was not collected; the collector will try again.',
      );
      return error.delayMs(suspect.attempts);
    }
  }

  async #leave(verdict: Verdict & { kind: 'undecidable' }, { attempts }: Suspect, object: Found): Promise<number> {
    const { key } = object;
    const { owner, why } = verdict;
    if (attempts === 0) {
      const message =
        why === 'unknown'
          ? 'An object names an owner of a kind that is not served: the object is left alone.'
          : 'An object without a namespace names an owner of a namespaced kind: the object is left alone.';
      this.#options.log.warn({ key, owner }, message);
    }
    if (why === 'unknown') return UNKNOWN_KIND_DELAY_MS;
    await this.#requests.reportInvalidOwner(object, owner);
    return 0;
  }
}

function found({ key, uid, revision, deleting, corrupt, value }: StoredObject): Found {
  // the owners of an object that cannot be read are unknown
  const { finalizers = [], ownerReferences = [] } = corrupt === '' ? metadataIn(value) : {};
  return { key, uid, revision, isDeleting: deleting, finalizers, owners: ownerReferences };
}

function metadataIn(value: Uint8Array): ObjectMeta {
  try {
    return (JSON.parse(Buffer.from(value).toString('utf8')) as { metadata?: ObjectMeta }).metadata ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
