import { setImmediate as turn } from 'node:timers/promises';
import { type Item, itemOf } from '@tidegate/collection';
import { type Kind, metaOf, storageOf } from '@tidegate/kinds';
import { toRevision } from '@tidegate/revision';
import { applyDefaults, clean, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { ApiError } from '@tidegate/status';
import type { Key } from '@tidegate/wire';
import type { WebhookCalls } from '../callouts/webhook-calls.ts';
import { type StoredForm, storedForm } from '../codec/stored-form.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { Cache } from './cache.ts';
import { callConverter, type Outcome } from './call-converter.ts';

/** The states up to the first one that cannot be converted, in order. */
export interface Prefix {
  readonly items: readonly Item[];
  /** why the next one cannot be converted */
  readonly failure: ApiError | undefined;
}

/** The bytes that are stored for an object, and the bytes that a read returns for it. */
export interface WrittenForm {
  readonly stored: StoredForm;
  readonly shown: StoredForm;
}

/** A committed state. */
interface Committed {
  readonly key: Key;
  readonly object: JsonObject;
  readonly form: StoredForm;
  readonly revision: number;
}

type Batch =
  | { readonly kind: 'converted'; readonly byRevision: ReadonlyMap<number, Item> }
  | Exclude<Outcome, { readonly kind: 'converted' }>;

interface ConversionsOptions {
  readonly webhooks: WebhookCalls;
  readonly metrics: Pick<GatewayMetrics, 'conversionCalls' | 'convertedObjects'>;
  readonly cacheBytes?: number;
}

const CACHE_BYTES = 64 << 20;
/** Larger requests would block the event loop too long, here and in the webhook. */
const BATCH_ITEMS = 500;
const BATCH_BYTES = 2 << 20;
const MAX_BLOCK_MS = 10;

/**
 * Converts stored states to other versions, by webhooks, with a cache.
 *
 * Invariant: each state is converted once for each version: concurrent readers share the call, and later readers use
 * the cache, whose key has the revision. Failures are not cached.
 */
export class Conversions {
  readonly #options: ConversionsOptions;
  readonly #cache: Cache<Item>;
  readonly #pending = new Map<string, Promise<Batch>>();

  constructor(options: ConversionsOptions) {
    this.#options = options;
    this.#cache = new Cache(options.cacheBytes ?? CACHE_BYTES);
  }

  /** The states in the version of this kind, in order. */
  async read(kind: Kind, items: readonly Item[]): Promise<Item[]> {
    const ready = new Map<number, Item>();
    const toConvert = new Map<number, Item>();
    const others = new Map<Promise<Batch>, Item[]>();
    for (const item of items) {
      const known = this.#known(kind, item);
      const pending = known === undefined ? this.#pending.get(cacheKey(kind, item)) : undefined;
      if (known !== undefined) ready.set(item.revision, known);
      else if (pending === undefined) toConvert.set(item.revision, item);
      else {
        const wanted = others.get(pending) ?? [];
        wanted.push(item);
        others.set(pending, wanted);
      }
    }
    for (const batch of batchesOf(toConvert.values())) collect(await this.#convertShared(kind, batch), ready);
    for (const [pending, wanted] of others) {
      const batch = await pending;
      // another object of the shared batch may have caused the failure
      if (batch.kind === 'refused')
        for (const own of batchesOf(wanted)) collect(await this.#convertShared(kind, own), ready);
      else collect(batch, ready);
    }
    return items.map(({ revision }) => ready.get(revision) as Item);
  }

  /** Reads the states before the first one that cannot be converted, which is found by bisection. */
  async readPrefix(kind: Kind, items: readonly Item[]): Promise<Prefix> {
    try {
      return { items: await this.read(kind, items), failure: undefined };
    } catch (error) {
      const failure = ApiError.from(error);
      if (items.length <= 1 || !(error instanceof Refused)) return { items: this.#leading(kind, items), failure };
      const half = items.length >>> 1;
      const first = await this.readPrefix(kind, items.slice(0, half));
      if (first.failure !== undefined) return first;
      const second = await this.readPrefix(kind, items.slice(half));
      return { items: [...first.items, ...second.items], failure: second.failure };
    }
  }

  /** Converts objects from one version to another; fields that the other version does not have are dropped. */
  async convert(from: Kind, to: Kind, objects: readonly JsonObject[]): Promise<JsonObject[]> {
    if (from.apiVersion === to.apiVersion) return [...objects];
    const outcome = await this.#call(to, objects);
    if (outcome.kind !== 'converted') throw failureOf(outcome);
    return outcome.objects.map((object) => cleaned(to, object));
  }

  /** The form in which an object is stored, and the form in which this version will read it. */
  async written(kind: Kind, object: JsonObject): Promise<WrittenForm> {
    const storage = storageOf(kind);
    const { resourceVersion: _, ...metadata } = object.metadata as JsonObject;
    const [kept] = await this.convert(kind, storage, [{ ...object, metadata }]);
    if (kept === undefined) throw new Error('the converter returned no object');
    if (storage === kind) return same(storedForm(kind, kept));
    // cleaned and defaulted as a read would do, so that later reads can return the stored bytes
    const read = asRead(storage, kept);
    const stored = storedForm(storage, read);
    const [shown] = await this.convert(storage, kind, [read]);
    return { stored, shown: storedForm(kind, shown as JsonObject) };
  }

  /** Caches the answer of a committed write, so that readers need no webhook call. */
  remember(kind: Kind, { key, object, form, revision }: Committed): void {
    const { uid = '', deletionTimestamp } = metaOf(object);
    const state = { ...key, uid, deleting: deletionTimestamp !== undefined, revision: toRevision(revision) };
    this.#keep(kind, itemIn(state, form));
  }

  #keep(kind: Kind, item: Item): void {
    this.#cache.set(cacheKey(kind, item), item);
  }

  /** The leading states that need no webhook call. */
  #leading(kind: Kind, items: readonly Item[]): Item[] {
    const known: Item[] = [];
    for (const item of items) {
      const one = this.#known(kind, item);
      if (one === undefined) break;
      known.push(one);
    }
    return known;
  }

  #known(kind: Kind, item: Item): Item | undefined {
    if (isReturnedAsStored(kind, item)) return item;
    return this.#cache.get(cacheKey(kind, item));
  }

  /** Does not reject for failures of the converter: they are in the batch. */
  #convertShared(kind: Kind, items: readonly Item[]): Promise<Batch> {
    const batch = this.#convertAll(kind, items).finally(() => {
      for (const item of items) this.#pending.delete(cacheKey(kind, item));
    });
    for (const item of items) this.#pending.set(cacheKey(kind, item), batch);
    return batch;
  }

  async #convertAll(kind: Kind, items: readonly Item[]): Promise<Batch> {
    const budget = new LoopBudget();
    const objects: JsonObject[] = [];
    for (const item of items) {
      const object = parseOwnJson(item.stored().value);
      const version = kind.entry.custom?.converter?.versions.get(String(object.apiVersion));
      if (version === undefined) {
        const words = `request to convert CR from an invalid group/version: ${String(object.apiVersion)}`;
        return { kind: 'refused', words };
      }
      objects.push(asRead(version, object));
      await budget.yieldIfSpent();
    }
    const outcome = await this.#call(
      kind,
      objects.filter(({ apiVersion }) => apiVersion !== kind.apiVersion),
    );
    if (outcome.kind !== 'converted') return outcome;
    const converted = outcome.objects.values();
    const byRevision = new Map<number, Item>();
    for (const [index, item] of items.entries()) {
      const object = objects[index] as JsonObject;
      const shown =
        object.apiVersion === kind.apiVersion ? object : cleaned(kind, converted.next().value as JsonObject);
      const one = itemIn(item, storedForm(kind, shown));
      byRevision.set(item.revision, one);
      this.#keep(kind, one);
      await budget.yieldIfSpent();
    }
    return { kind: 'converted', byRevision };
  }

  async #call(to: Kind, objects: readonly JsonObject[]): Promise<Outcome> {
    if (objects.length === 0) return { kind: 'converted', objects };
    const { webhooks, metrics } = this.#options;
    const outcome = await callConverter(webhooks, { to, objects });
    const { definition = '' } = to.entry.custom ?? {};
    metrics.conversionCalls.labels({ definition, outcome: outcome.kind }).inc();
    if (outcome.kind === 'converted') metrics.convertedObjects.labels({ definition }).inc(objects.length);
    return outcome;
  }
}

/** A state in another form, with its own revision. */
function itemIn(state: Head, form: StoredForm): Item {
  const { namespace, name, revision, uid, deleting } = state;
  return itemOf({ namespace, name, revision, uid, deleting, ...form });
}

type Head = Pick<Item, 'namespace' | 'name' | 'revision' | 'uid' | 'deleting'>;

function same(form: StoredForm): WrittenForm {
  return { stored: form, shown: form };
}

/** The converter answered, but did not convert these objects. */
class Refused extends ApiError {}

function failureOf({ kind, words }: Exclude<Outcome, { readonly kind: 'converted' }>): ApiError {
  return kind === 'refused' ? new Refused('', words) : new ApiError('', words);
}

function collect(batch: Batch, ready: Map<number, Item>): void {
  if (batch.kind !== 'converted') throw failureOf(batch);
  for (const [revision, converted] of batch.byRevision) ready.set(revision, converted);
}

/** The cache key: a state in this version, under the current generation of the definition. */
function cacheKey({ apiVersion, entry }: Kind, { revision }: Pick<Item, 'revision'>): string {
  return `${apiVersion} ${entry.custom?.generation ?? 0} ${revision}`;
}

/** Whether the stored bytes can be returned unchanged: same version, and the schema never changed. */
export function isReturnedAsStored(kind: Kind, item: Item): boolean {
  return kind.entry.custom?.generation === 1 && hasVersion(kind, item.json);
}

const heads = new WeakMap<Kind, Buffer>();

/** Whether stored bytes have this version, by their first bytes. */
export function hasVersion(kind: Kind, json: Uint8Array): boolean {
  let head = heads.get(kind);
  if (head === undefined) {
    head = Buffer.from(`{"kind":"${kind.entry.kind}","apiVersion":"${kind.apiVersion}",`);
    heads.set(kind, head);
  }
  return head.equals(json.subarray(0, head.length));
}

/** The object as its stored version reads it: cleaned, and with defaults. */
function asRead(version: Kind, object: JsonObject): JsonObject {
  const read = cleaned(version, object);
  applyDefaults(version.schema, read);
  return read;
}

function cleaned(version: Kind, object: JsonObject): JsonObject {
  const { value } = clean(version.schema, object, version.entry.kind);
  value.kind = version.entry.kind;
  value.apiVersion = version.apiVersion;
  return value;
}

function* batchesOf(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    if (batch.length === BATCH_ITEMS || (batch.length > 0 && bytes + item.size > BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(item);
    bytes += item.size;
  }
  if (batch.length > 0) yield batch;
}

/** Yields to the event loop after MAX_BLOCK_MS of work. */
class LoopBudget {
  #since = performance.now();

  async yieldIfSpent(): Promise<void> {
    if (performance.now() - this.#since < MAX_BLOCK_MS) return;
    await turn();
    this.#since = performance.now();
  }
}
