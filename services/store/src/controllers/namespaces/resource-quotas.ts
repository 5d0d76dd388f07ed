import { isDeepStrictEqual } from 'node:util';
import { addAmounts, amountsIn, amountsJson, countedNames, isInScope, metaOf, usageOf } from '@tidegate/kinds';
import type { JsonObject, Quantity } from '@tidegate/schema';
import type { Fault } from '@tidegate/service-kit';
import type { ChangeQueries, Gateway, ObjectQueries, QuotaNamespace } from '../port.ts';

/** The usage of these resources depends on their objects; that of all others is their number. */
const MEASURED = ['pods', 'services', 'persistentvolumeclaims'];
/** finds usage that ends by time alone, without a change */
const RECOUNT_MS = 300_000;
/** the pause before the next count of a namespace, as a multiple of the duration of the last count */
const PAUSE_FACTOR = 9;
const LONGEST_PAUSE_MS = 10_000;

/** The objects of a namespace, as far as its quotas limit them. */
interface Contents {
  readonly measured: ReadonlyMap<string, readonly JsonObject[]>;
  readonly counts: ReadonlyMap<string, number>;
}

interface ResourceQuotasOptions {
  changes: Pick<ChangeQueries, 'quotasSince'>;
  objects: Pick<ObjectQueries, 'namespacesWith' | 'countIn'>;
  gateway: Gateway;
  /** counts failed attempts to count a namespace */
  uncounted: Pick<Fault, 'failed'>;
  now?: () => number;
}

/**
 * Writes how much the quotas of a namespace have used. It counts when a quota is new or its limits have changed, and
 * again when objects are deleted. The gateway adds new objects itself, in the commit that creates them.
 *
 * Invariant: a count replaces only the version of the quota that was read before the count began. An object that was
 * created in the meantime has changed the quota's version, and the namespace is counted again.
 */
export class ResourceQuotas {
  readonly #options: ResourceQuotasOptions;
  readonly #now: () => number;
  /** by name: whether quotas that were counted before are counted again */
  readonly #open = new Map<string, boolean>();
  /** by name: until when it is not counted again, for namespaces that take long to count and change all the time */
  readonly #pauseUntil = new Map<string, number>();
  #through = 0;
  #fence: number | undefined;
  #recountAt = 0;

  constructor(options: ResourceQuotasOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async reconcile(fence: number): Promise<void> {
    for (const { name, hasReleases } of await this.#changed(fence)) {
      this.#open.set(name, hasReleases || this.#open.get(name) === true);
    }
    for (const [name, until] of this.#pauseUntil) if (until <= this.#now()) this.#pauseUntil.delete(name);
    for (const [name, hasReleases] of [...this.#open]) {
      if (this.#pauseUntil.has(name)) continue;
      this.#open.delete(name);
      const begun = this.#now();
      const done = await this.#count(name, hasReleases).catch((error: unknown) => {
        this.#options.uncounted.failed(error);
        return false;
      });
      this.#pauseUntil.set(name, this.#now() + Math.min(LONGEST_PAUSE_MS, PAUSE_FACTOR * (this.#now() - begun)));
      if (!done) this.#open.set(name, hasReleases || this.#open.get(name) === true);
    }
  }

  async #changed(fence: number): Promise<QuotaNamespace[]> {
    const { changes, objects } = this.#options;
    const { revision, floor, namespaces } = await changes.quotasSince(this.#through);
    const isKnown = this.#fence === fence && this.#through >= floor && this.#now() < this.#recountAt;
    this.#through = revision;
    this.#fence = fence;
    if (isKnown) return namespaces;
    this.#recountAt = this.#now() + RECOUNT_MS;
    return (await objects.namespacesWith('resourcequotas')).map((name) => ({ name, hasReleases: true }));
  }

  /** Returns whether the namespace needs no further pass. */
  async #count(namespace: string, hasReleases: boolean): Promise<boolean> {
    const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
    const { code, body } = await this.#options.gateway.send('GET', path);
    if (code !== 200) return false;
    const quotas = (body.items as JsonObject[]).filter((quota) => hasReleases || !isCounted(quota));
    if (quotas.length === 0) return true;
    // a gateway that did not know the new quota may just have created an object: the second count finds it
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
    return { measured, counts: await this.#options.objects.countIn(namespace, others) };
  }
}

function hardOf(quota: JsonObject): JsonObject {
  return ((quota.spec as JsonObject | undefined)?.hard ?? {}) as JsonObject;
}

function resourceOf(name: string): string {
  return name.replace(/^count\//, '');
}

/** Whether it was counted with its present limits. */
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
