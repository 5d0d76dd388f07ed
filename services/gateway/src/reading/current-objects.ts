import type { Item } from '@tidegate/collection';
import { isConverted, type Kind } from '@tidegate/kinds';
import { notFound } from '@tidegate/status';
import type { StoreSession } from '../clients/store-session.ts';
import type { Stored } from '../codec/recent-objects.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { currentJson, keyOf, type Objects } from '../objects/objects.ts';

/** A row is verified by its checksum when it is read, so this many gets a second read rows even while nothing changes. */
const VERIFIED_A_SECOND = 100;
/** While changes arrive, the mirror is usually a few milliseconds behind the store, and the question would be in vain. */
const QUIET_MS = 10;

type Counted = ReturnType<GatewayMetrics['gets']['labels']>;

interface CurrentObjectsPorts {
  readonly objects: Pick<Objects, 'get'>;
  readonly store: Pick<StoreSession, 'head'>;
  readonly mirrors: Pick<Mirrors, 'peek' | 'openForReads' | 'isSuspect' | 'movedAt'>;
  readonly metrics: Pick<GatewayMetrics, 'gets'>;
  readonly now?: () => number;
}

/**
 * Reads the current state of single objects, from the store or from the mirror. While nothing changes, both have the same
 * state. Asking the store for its newest revision is enough to know that, and many gets share one such question.
 *
 * Invariant: the answer is a state that the object had after the call began. It is either the row, read after the call
 * began, or the object of a mirror that is complete through the head of the store, read after the call began.
 */
export class CurrentObjects {
  readonly #ports: CurrentObjectsPorts;
  readonly #now: () => number;
  readonly #fromMirror: Counted;
  readonly #fromStore: Counted;
  #secondEnds = 0;
  #toVerify = 0;

  constructor(ports: CurrentObjectsPorts) {
    this.#ports = ports;
    this.#now = ports.now ?? (() => performance.now());
    this.#fromMirror = ports.metrics.gets.labels({ source: 'mirror' });
    this.#fromStore = ports.metrics.gets.labels({ source: 'store' });
  }

  /** Throws 404 if there is no such object. */
  async get(kind: Kind, namespace: string, name: string): Promise<Stored> {
    if (this.#mayBeMirrored(kind)) {
      const item = await this.#mirrored(kind, namespace, name);
      if (item !== undefined) return storedOf(kind, item);
    }
    this.#fromStore.inc();
    const current = await this.#ports.objects.get(kind, namespace, name);
    return { resource: kind.storedAs, revision: current.revision, uid: current.uid, json: () => currentJson(current) };
  }

  #mayBeMirrored(kind: Kind): boolean {
    // converting it would take as long as reading it from the store
    if (isConverted(kind)) return false;
    const { mirrors } = this.#ports;
    const now = this.#now();
    if (this.#isToVerify(now) || now - mirrors.movedAt < QUIET_MS) return false;
    // a collection that is read so often is mirrored from now on
    return mirrors.openForReads(kind.storedAs);
  }

  #isToVerify(now: number): boolean {
    if (now >= this.#secondEnds) {
      this.#secondEnds = now + 1000;
      this.#toVerify = VERIFIED_A_SECOND;
    }
    return this.#toVerify-- > 0;
  }

  /** The object in the mirror; undefined if the store has to be asked for it. */
  async #mirrored(kind: Kind, namespace: string, name: string): Promise<Item | undefined> {
    const { mirrors, store } = this.#ports;
    const head = await store.head();
    const collection = mirrors.peek(kind.storedAs);
    if (collection === undefined || collection.through < head) return undefined;
    const key = keyOf(kind, namespace, name);
    const item = collection.get(key.namespace, key.name);
    if (collection.isCorrupt(key) || mirrors.isSuspect(key)) return undefined;
    this.#fromMirror.inc();
    if (item === undefined) throw notFound(kind.entry, name);
    return item;
  }
}

/** An item in the version in which it is stored. */
export function storedOf(kind: Kind, item: Item): Stored {
  return { resource: kind.storedAs, revision: item.revision, uid: item.uid, json: () => item.json };
}
