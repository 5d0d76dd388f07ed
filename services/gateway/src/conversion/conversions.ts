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
import { askConverter, type Outcome } from './ask-converter.ts';
import { Memo } from './memo.ts';

/** States as far as they could be converted, in their order. */
export interface Prefix {
  readonly items: readonly Item[];
  /** why the next one could not be */
  readonly failure: ApiError | undefined;
}

/** What is stored of an object, and what a read shows of it then. */
export interface WrittenForm {
  readonly stored: StoredForm;
  readonly shown: StoredForm;
}

/** A state that was just committed. */
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
  readonly memoryBytes?: number;
}

const MEMORY_BYTES = 64 << 20;
/** A request about more would keep the loop busy for too long, on both sides. */
const BATCH_ITEMS = 500;
const BATCH_BYTES = 2 << 20;
const TURN_MS = 10;

/**
 * What is stored, in the versions of kinds that webhooks convert.
 *
 * Invariant: a state is asked about once for each version, however many readers want it at the same time or, as long as
 * it is remembered, later: its revision says what it is. What could not be converted is not remembered.
 */
export class Conversions {
  readonly #options: ConversionsOptions;
  readonly #memo: Memo<Item>;
  readonly #pending = new Map<string, Promise<Batch>>();

  constructor(options: ConversionsOptions) {
    this.#options = options;
    this.#memo = new Memo(options.memoryBytes ?? MEMORY_BYTES);
  }

  /** The states as this kind shows them, in their order. */
  async read(kind: Kind, items: readonly Item[]): Promise<Item[]> {
    const ready = new Map<number, Item>();
    const mine = new Map<number, Item>();
    const others = new Map<Promise<Batch>, Item[]>();
    for (const item of items) {
      const known = this.#known(kind, item);
      const pending = known === undefined ? this.#pending.get(nameOf(kind, item)) : undefined;
      if (known !== undefined) ready.set(item.revision, known);
      else if (pending === undefined) mine.set(item.revision, item);
      else {
        const wanted = others.get(pending) ?? [];
        wanted.push(item);
        others.set(pending, wanted);
      }
    }
    for (const batch of batchesOf(mine.values())) take(await this.#ask(kind, batch), ready);
    for (const [pending, wanted] of others) {
      const batch = await pending;
      // what it was refused for need not be the fault of these
      if (batch.kind === 'refused') for (const own of batchesOf(wanted)) take(await this.#ask(kind, own), ready);
      else take(batch, ready);
    }
    return items.map(({ revision }) => ready.get(revision) as Item);
  }

  /** The same as far as it can be done: where some are refused, it is found out which is the first. */
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

  /** Objects of one version of a kind in another: what that one does not have is left out. */
  async convert(from: Kind, to: Kind, objects: readonly JsonObject[]): Promise<JsonObject[]> {
    if (from.apiVersion === to.apiVersion) return [...objects];
    const outcome = await this.#call(to, objects);
    if (outcome.kind !== 'converted') throw failureOf(outcome);
    return outcome.objects.map((object) => cleaned(to, object));
  }

  /** An object of this kind as it is to be stored, and as it can be read then. */
  async written(kind: Kind, object: JsonObject): Promise<WrittenForm> {
    const storage = storageOf(kind);
    const { resourceVersion: _, ...metadata } = object.metadata as JsonObject;
    const [kept] = await this.convert(kind, storage, [{ ...object, metadata }]);
    if (kept === undefined) throw new Error('an object that is converted is one object');
    if (storage === kind) return same(storedForm(kind, kept));
    // as every read would have it: so it can be handed on as it is stored
    const read = asRead(storage, kept);
    const stored = storedForm(storage, read);
    const [shown] = await this.convert(storage, kind, [read]);
    return { stored, shown: storedForm(kind, shown as JsonObject) };
  }

  /** What was shown of a state that is written by now: readers need not ask for it again. */
  remember(kind: Kind, { key, object, form, revision }: Committed): void {
    const { uid = '', deletionTimestamp } = metaOf(object);
    const state = { ...key, uid, deleting: deletionTimestamp !== undefined, revision: toRevision(revision) };
    this.#keep(kind, itemIn(state, form));
  }

  #keep(kind: Kind, item: Item): void {
    this.#memo.set(nameOf(kind, item), item);
  }

  /** Those at the beginning for which nobody has to be asked. */
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
    if (isHandedOn(kind, item)) return item;
    return this.#memo.get(nameOf(kind, item));
  }

  /** Never rejects for what a converter does. */
  #ask(kind: Kind, items: readonly Item[]): Promise<Batch> {
    const batch = this.#convertAll(kind, items).finally(() => {
      for (const item of items) this.#pending.delete(nameOf(kind, item));
    });
    for (const item of items) this.#pending.set(nameOf(kind, item), batch);
    return batch;
  }

  async #convertAll(kind: Kind, items: readonly Item[]): Promise<Batch> {
    const breath = new Breath();
    const objects: JsonObject[] = [];
    for (const item of items) {
      const object = parseOwnJson(item.stored().value);
      const version = kind.entry.custom?.converter?.versions.get(String(object.apiVersion));
      if (version === undefined) {
        const words = `request to convert CR from an invalid group/version: ${String(object.apiVersion)}`;
        return { kind: 'refused', words };
      }
      objects.push(asRead(version, object));
      await breath.taken();
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
      await breath.taken();
    }
    return { kind: 'converted', byRevision };
  }

  async #call(to: Kind, objects: readonly JsonObject[]): Promise<Outcome> {
    if (objects.length === 0) return { kind: 'converted', objects };
    const { webhooks, metrics } = this.#options;
    const outcome = await askConverter(webhooks, { to, objects });
    const { definition = '' } = to.entry.custom ?? {};
    metrics.conversionCalls.labels({ definition, outcome: outcome.kind }).inc();
    if (outcome.kind === 'converted') metrics.convertedObjects.labels({ definition }).inc(objects.length);
    return outcome;
  }
}

/** A state in another form, under its own revision. */
function itemIn(state: Head, form: StoredForm): Item {
  const { namespace, name, revision, uid, deleting } = state;
  return itemOf({ namespace, name, revision, uid, deleting, ...form });
}

type Head = Pick<Item, 'namespace' | 'name' | 'revision' | 'uid' | 'deleting'>;

function same(form: StoredForm): WrittenForm {
  return { stored: form, shown: form };
}

/** A converter has answered, and not with these objects. */
class Refused extends ApiError {}

function failureOf({ kind, words }: Exclude<Outcome, { readonly kind: 'converted' }>): ApiError {
  return kind === 'refused' ? new Refused('', words) : new ApiError('', words);
}

function take(batch: Batch, ready: Map<number, Item>): void {
  if (batch.kind !== 'converted') throw failureOf(batch);
  for (const [revision, converted] of batch.byRevision) ready.set(revision, converted);
}

/** A state of which this version was made, under the definition as it is. */
function nameOf({ apiVersion, entry }: Kind, { revision }: Pick<Item, 'revision'>): string {
  return `${apiVersion} ${entry.custom?.generation ?? 0} ${revision}`;
}

/** Its bytes are what is shown: they are of this version, and there never was another schema. */
export function isHandedOn(kind: Kind, item: Item): boolean {
  return kind.entry.custom?.generation === 1 && isOf(kind, item.json);
}

const heads = new WeakMap<Kind, Buffer>();

/** Whether stored bytes are of this version: it stands at their beginning. */
export function isOf(kind: Kind, json: Uint8Array): boolean {
  let head = heads.get(kind);
  if (head === undefined) {
    head = Buffer.from(`{"kind":"${kind.entry.kind}","apiVersion":"${kind.apiVersion}",`);
    heads.set(kind, head);
  }
  return head.equals(json.subarray(0, head.length));
}

/** As it is read in the version in which it was stored. */
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

/** Lets others have the loop when one turn of it was used up. */
class Breath {
  #since = performance.now();

  async taken(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return;
    await turn();
    this.#since = performance.now();
  }
}
