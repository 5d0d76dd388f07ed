import { type ObjectMeta, ORPHAN, type OwnerReference, type Registry } from '@tidegate/kinds';
import type { Closing, Logger } from '@tidegate/service-kit';
import type { Key, ReadOutcome, StoredObject } from '@tidegate/wire';
import type { GatewayAnswer } from '../lifecycle/gateway-client.ts';
import type { StoreMetrics } from '../metrics.ts';
import type { Pool } from '../storage/connection.ts';
import { invalidOwnerEvent } from './invalid-owner.ts';
import { Paths } from './paths.ts';
import { type Found, lookAround } from './surroundings.ts';
import { type Suspect, Suspects } from './suspects.ts';
import { type Verdict, verdictOn } from './verdict.ts';

const PORTION = 512;
/** requests under way at once */
const PARALLEL = 64;
/** of them, for the dependents of one owner that leaves them behind */
const PARALLEL_ORPHANS = 32;
const FIRST_DELAY_MS = 50;
const BUSY_DELAY_MS = 2000;
const LAST_DELAY_MS = 300_000;
/** kinds that nobody serves may be served one day */
const HELPLESS_DELAY_MS = 60_000;
const COUNT_MS = 1000;

interface Gateway {
  send(method: string, path: string, object?: unknown): Promise<GatewayAnswer>;
  patch(path: string, object: unknown): Promise<GatewayAnswer>;
}

export interface GarbageCollectorOptions {
  pool: Pool;
  reads: { read(keys: readonly Key[]): Promise<ReadOutcome[]> };
  gateway: Gateway;
  registry: Registry;
  metrics: StoreMetrics;
  log: Logger;
  closing: Closing;
  now?: () => number;
}

/** The gateway did not do a step; its answer says why, 0 where none was asked for. */
class NotDone extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  /** A refusal may last, so it is asked for less and less often; a lost race or a busy server does not. */
  delayMs(attempts: number): number {
    if (this.code === 409) return FIRST_DELAY_MS;
    const most = this.code === 429 || this.code >= 500 ? BUSY_DELAY_MS : LAST_DELAY_MS;
    return Math.min(most, FIRST_DELAY_MS * 2 ** attempts);
  }
}

/**
 * Deletes what nobody owns any more, lets owners go that wait for their dependents, and makes dependents forget owners
 * that leave them behind.
 *
 * Invariant: nothing is known here that is not in PostgreSQL. Whether an object is garbage is decided anew from what is
 * stored at each look, and every step names the uid and the version that the decision was about, so a step that comes
 * too late does nothing. Whatever is not done stays suspect.
 */
export class GarbageCollector {
  readonly #options: GarbageCollectorOptions;
  readonly #suspects: Suspects;
  readonly #paths: Paths;
  readonly #now: () => number;
  #countAt = 0;

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
    this.#suspects = new Suspects(options.pool);
    this.#paths = new Paths(options.registry);
    this.#now = options.now ?? (() => performance.now());
  }

  /** Answers whether there is more to do at once. */
  async round(): Promise<boolean> {
    const behind = await this.#suspects.note();
    const due = await this.#suspects.due(PORTION);
    if (due.length > 0) await this.#lookAt(due);
    if (this.#now() >= this.#countAt) {
      const { all, waiting } = await this.#suspects.count();
      this.#options.metrics.suspects.set({ state: 'waiting' }, waiting);
      this.#options.metrics.suspects.set({ state: 'due' }, all - waiting);
      this.#countAt = this.#now() + COUNT_MS;
    }
    return behind || due.length > 0;
  }

  async #lookAt(suspects: readonly Suspect[]): Promise<void> {
    const outcomes = await this.#options.reads.read(suspects.map(({ key }) => key));
    const gone = suspects.filter((_, i) => outcomes[i]?.found === false && outcomes[i]?.again !== true);
    const there = suspects.flatMap((suspect, i) => {
      const object = outcomes[i]?.object;
      return object ? [{ suspect, object: found(object) }] : [];
    });
    const surroundings = await lookAround(
      this.#options.pool,
      this.#paths,
      there.map(({ object }) => object),
    );
    const settled: Suspect[] = [...gone];
    const postponed: Array<{ suspect: Suspect; delayMs: number }> = [];
    const queue = there.entries();
    let away: unknown;
    await together(PARALLEL, async () => {
      for (const [i, { suspect, object }] of queue) {
        if (this.#options.closing.aborted || away !== undefined) return;
        const { owners, dependents } = surroundings[i] as (typeof surroundings)[number];
        const verdict = verdictOn(object, owners, dependents);
        const delayMs = await this.#carryOut(verdict, suspect, object).catch((error: unknown) => {
          away = error;
          return BUSY_DELAY_MS;
        });
        if (delayMs === undefined) continue;
        if (delayMs === 0) settled.push(suspect);
        else postponed.push({ suspect, delayMs });
      }
    });
    await this.#suspects.settle(settled);
    await this.#suspects.postpone(postponed);
    // the gateway or PostgreSQL cannot be reached, which is hardly these suspects' fault; should it be, others come first
    if (away !== undefined) throw away;
  }

  /** 0: settled. A time: to be looked at again after it. undefined: it waits, and its place on the list says so. */
  async #carryOut(verdict: Verdict, suspect: Suspect, object: Found): Promise<number | undefined> {
    const { metrics, log } = this.#options;
    try {
      switch (verdict.kind) {
        case 'settled':
          return 0;
        case 'wait':
          await this.#suspects.awaitDependents(suspect, object.uid);
          return undefined;
        case 'helpless':
          return await this.#leave(verdict, suspect, object);
        case 'orphan':
          await this.#orphan(object);
          break;
        case 'delete':
          await this.#delete(object, verdict.propagation);
          break;
        case 'detach':
        case 'unblock':
          await this.#own(object, verdict.owners);
          break;
        case 'release':
          await this.#patch(object, { finalizers: verdict.finalizers });
          break;
      }
      metrics.collected.inc({ action: verdict.kind });
      return 0;
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      metrics.collected.inc({ action: 'failed' });
      log.debug(
        { err: error, key: object.key, verdict: verdict.kind },
        'Garbage was not collected; it is tried again.',
      );
      return error.delayMs(suspect.attempts);
    }
  }

  async #delete({ key, uid, revision }: Found, propagationPolicy: string): Promise<void> {
    const preconditions = { uid, resourceVersion: String(revision) };
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, propagationPolicy };
    refuseUndone(await this.#options.gateway.send('DELETE', this.#pathOf(key), options));
  }

  /** From now on it has these owners. */
  #own(object: Found, owners: readonly OwnerReference[]): Promise<void> {
    return this.#patch(object, { ownerReferences: owners.length === 0 ? null : owners });
  }

  async #patch({ key, uid, revision }: Found, metadata: object): Promise<void> {
    const patch = { metadata: { uid, resourceVersion: String(revision), ...metadata } };
    refuseUndone(await this.#options.gateway.patch(this.#pathOf(key), patch));
  }

  /** Dependents forget the owner, some at a time; when there are none left it is let go. */
  async #orphan(owner: Found): Promise<void> {
    for (;;) {
      const keys = await this.#suspects.dependentsOf(owner, PORTION);
      if (keys.length === 0) break;
      const queue = (await this.#options.reads.read(keys)).values();
      await together(PARALLEL_ORPHANS, async () => {
        for (const { object } of queue) if (object !== null) await this.#forget(found(object), owner.uid);
      });
    }
    await this.#patch(owner, { finalizers: owner.finalizers.filter((name) => name !== ORPHAN) });
  }

  #forget(dependent: Found, owner: string): Promise<void> {
    if (this.#options.closing.aborted) throw new NotDone(0, 'the store ends');
    const others = dependent.owners.filter(({ uid }) => uid !== owner);
    return this.#own(dependent, others);
  }

  async #leave(verdict: Verdict & { kind: 'helpless' }, { attempts }: Suspect, object: Found): Promise<number> {
    const { key } = object;
    const { owner, why } = verdict;
    if (attempts === 0) {
      const words =
        why === 'unknown'
          ? 'An object names an owner of a kind that is not served: it is left alone.'
          : 'An object without a namespace names an owner that only a namespace can have: it is left alone.';
      this.#options.log.warn({ key, owner }, words);
    }
    if (why === 'unknown') return HELPLESS_DELAY_MS;
    const kind = this.#paths.kindAt(key.resource);
    const involved = { apiVersion: kind?.apiVersion ?? '', kind: kind?.entry.kind ?? '' };
    const event = invalidOwnerEvent(involved, object, owner);
    await this.#options.gateway.send('POST', '/api/v1/namespaces/default/events', event);
    return 0;
  }

  #pathOf(key: Key): string {
    const path = this.#paths.of(key);
    if (path === undefined) throw new NotDone(0, `nobody serves ${key.resource}`);
    return path;
  }
}

function together(count: number, work: () => Promise<void>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, work));
}

/** What is not there is done. */
function refuseUndone({ code, body }: GatewayAnswer): void {
  if (code === 200 || code === 202 || code === 404) return;
  throw new NotDone(code, `the gateway answered ${code}: ${String(body.message ?? '')}`);
}

function found({ key, uid, revision, deleting, corrupt, value }: StoredObject): Found {
  // nobody can say who owns what cannot be read
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
