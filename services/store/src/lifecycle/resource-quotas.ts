import { isDeepStrictEqual } from 'node:util';
import { addAmounts, amountsIn, amountsJson, countedNames, isInScope, metaOf, usageOf } from '@tidegate/kinds';
import type { JsonObject, Quantity } from '@tidegate/schema';
import type { Fault } from '@tidegate/service-kit';
import { textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Where quotas were written, and where something went or changed that may have become free. */
const SINCE = `SELECT h.revision, h.floor, (
    SELECT coalesce(json_agg(DISTINCT jsonb_build_array(l.namespace, l.resource <> 'resourcequotas' OR l.kind = 2)), '[]')
    FROM tidegate.log l
    WHERE l.revision > $1::bigint AND l.namespace <> ''
      AND (l.kind = 2 OR l.resource IN ('resourcequotas', 'pods', 'services', 'persistentvolumeclaims'))
      AND (l.resource = 'resourcequotas' AND l.kind <> 2 OR l.kind > 0)
      AND EXISTS (SELECT FROM tidegate.objects q WHERE q.resource = 'resourcequotas' AND q.namespace = l.namespace)
  ) FROM tidegate.head h`;
const ALL = "SELECT DISTINCT namespace FROM tidegate.objects WHERE resource = 'resourcequotas'";
const COUNTS = `SELECT resource, count(*)::integer FROM tidegate.objects
  WHERE namespace = $1 AND resource = ANY ($2::text[]) GROUP BY resource`;

/** Their content says how much they use; of all others there is nothing but their number. */
const MEASURED = ['pods', 'services', 'persistentvolumeclaims'];
/** What ends by time alone is found by then. */
const RECOUNT_MS = 300_000;
/** A namespace is left alone for so many times as long as it took to count. */
const REST = 9;
const MOST_REST_MS = 10_000;

interface Namespace {
  readonly name: string;
  /** something in it may have become free; otherwise only quotas that were never counted are */
  readonly isFreed: boolean;
}

/** What there is in a namespace, as far as quotas ask for it. */
interface Contents {
  readonly measured: ReadonlyMap<string, readonly JsonObject[]>;
  readonly counts: ReadonlyMap<string, number>;
}

interface ResourceQuotasOptions {
  pool: Pool;
  gateway: GatewayClient;
  /** namespaces that could not be counted */
  uncounted: Pick<Fault, 'failed'>;
  now?: () => number;
}

/**
 * Says what the quotas of a namespace have used: counted when a quota is new or has other limits, and again when something
 * is gone. What is made is added by the gateway, in the commit that makes it.
 *
 * Invariant: a count is written only over the version of the quota that was there before the counting began. Whatever was
 * made meanwhile has given the quota another version, and the namespace is counted again.
 */
export class ResourceQuotas {
  readonly #options: ResourceQuotasOptions;
  readonly #now: () => number;
  /** by name: whether it is to be counted anew in any case */
  readonly #open = new Map<string, boolean>();
  /** by name: of a namespace that takes long to count, and changes all the time */
  readonly #restUntil = new Map<string, number>();
  #through = 0;
  #fence: number | undefined;
  #recountAt = 0;

  constructor(options: ResourceQuotasOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async round(fence: number): Promise<void> {
    for (const { name, isFreed } of await this.#look(fence)) {
      this.#open.set(name, isFreed || this.#open.get(name) === true);
    }
    for (const [name, until] of this.#restUntil) if (until <= this.#now()) this.#restUntil.delete(name);
    for (const [name, isFreed] of [...this.#open]) {
      if (this.#restUntil.has(name)) continue;
      this.#open.delete(name);
      const begun = this.#now();
      const done = await this.#count(name, isFreed).catch((error: unknown) => {
        this.#options.uncounted.failed(error);
        return false;
      });
      this.#restUntil.set(name, this.#now() + Math.min(MOST_REST_MS, REST * (this.#now() - begun)));
      if (!done) this.#open.set(name, isFreed || this.#open.get(name) === true);
    }
  }

  async #look(fence: number): Promise<Namespace[]> {
    const { pool } = this.#options;
    const [row] = await pool.query(SINCE, [this.#through]);
    const [revision, floor, changed] = row as unknown as [number, number, Array<[string, boolean]>];
    const isKnown = this.#fence === fence && this.#through >= floor && this.#now() < this.#recountAt;
    this.#through = revision;
    this.#fence = fence;
    if (isKnown) return changed.map(([name, isFreed]) => ({ name, isFreed }));
    this.#recountAt = this.#now() + RECOUNT_MS;
    return (await pool.query(ALL, [])).map(([name]) => ({ name: String(name), isFreed: true }));
  }

  /** Answers whether there is no more to do. */
  async #count(namespace: string, isFreed: boolean): Promise<boolean> {
    const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
    const { code, body } = await this.#options.gateway.send('GET', path);
    if (code !== 200) return false;
    const quotas = (body.items as JsonObject[]).filter((quota) => isFreed || !isCounted(quota));
    if (quotas.length === 0) return true;
    // a gateway that had not heard of a new quota may just have made something: that is found the second time
    if (quotas.some((quota) => !isCounted(quota))) this.#open.set(namespace, true);
    const contents = await this.#contents(namespace, quotas);
    let done = true;
    for (const quota of quotas) {
      const status = { hard: hardOf(quota), used: usedOf(quota, contents) };
      if (isSameStatus(quota, status)) continue;
      const object = { ...quota, apiVersion: 'v1', kind: 'ResourceQuota', status };
      const put = await this.#options.gateway.send('PUT', `${path}/${metaOf(quota).name}/status`, object);
      if (put.code !== 200 && put.code !== 404) done = false;
    }
    return done;
  }

  async #contents(namespace: string, quotas: readonly JsonObject[]): Promise<Contents> {
    const names = [...new Set(quotas.flatMap((quota) => Object.keys(hardOf(quota))))];
    const measured = new Map<string, JsonObject[]>();
    for (const resource of MEASURED) {
      if (countedNames(resource, names).length === 0) continue;
      const { code, body } = await this.#options.gateway.send('GET', `/api/v1/namespaces/${namespace}/${resource}`);
      if (code !== 200) throw new Error(`${resource} of ${namespace} cannot be listed: ${code}`);
      measured.set(resource, body.items as JsonObject[]);
    }
    const others = names.map(resourceOf).filter((resource) => !MEASURED.includes(resource));
    const rows = await this.#options.pool.query(COUNTS, [namespace, textArray(others)]);
    return { measured, counts: new Map(rows.map(([resource, count]) => [String(resource), Number(count)])) };
  }
}

function hardOf(quota: JsonObject): JsonObject {
  return ((quota.spec as JsonObject | undefined)?.hard ?? {}) as JsonObject;
}

function resourceOf(name: string): string {
  return name.replace(/^count\//, '');
}

/** Its limits are those that it was counted by. */
function isCounted(quota: JsonObject): boolean {
  const { hard, used } = (quota.status ?? {}) as JsonObject;
  const counted = amountsIn(used);
  return isDeepStrictEqual(hard ?? {}, hardOf(quota)) && Object.keys(hardOf(quota)).every((name) => counted.has(name));
}

function isSameStatus(quota: JsonObject, { hard, used }: JsonObject): boolean {
  const status = (quota.status ?? {}) as JsonObject;
  return isDeepStrictEqual(status.hard ?? {}, hard) && isDeepStrictEqual(status.used ?? {}, used);
}

const ONE = 1_000_000_000n;

function usedOf(quota: JsonObject, { measured, counts }: Contents): JsonObject {
  const names = Object.keys(hardOf(quota));
  const used = new Map<string, Quantity>();
  for (const [name, { family }] of amountsIn(hardOf(quota))) used.set(name, { nanos: 0n, family });
  for (const [resource, objects] of measured) {
    const counted = new Set(countedNames(resource, names));
    for (const object of objects) {
      if (!isInScope(resource, quota, object)) continue;
      addAmounts(used, new Map([...usageOf(resource, object)].filter(([name]) => counted.has(name))));
    }
  }
  for (const name of names) {
    const count = counts.get(resourceOf(name));
    const isPlain = count !== undefined && countedNames(resourceOf(name), [name]).length > 0;
    if (isPlain && isInScope(resourceOf(name), quota, {}))
      used.set(name, { nanos: BigInt(count) * ONE, family: 'decimal' });
  }
  return amountsJson(used);
}
