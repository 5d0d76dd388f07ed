import {
  type Amounts,
  addAmounts,
  amountsIn,
  amountsJson,
  amountsText,
  countedNames,
  isInScope,
  metaOf,
  missingAmounts,
  usageOf,
} from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject, type Quantity } from '@tidegate/schema';
import { type Admitted, refused } from '../plugins/plugin.ts';

/** The write that is counted: a new object or a changed one. */
export type Counted = Pick<Admitted, 'request' | 'object' | 'old'>;

interface AffectedQuota {
  readonly quota: JsonObject;
  readonly name: string;
  readonly hard: Amounts;
  readonly used: Amounts;
}

/**
 * Returns the quotas to be written with an object: those that count it, with their new usage, and unchanged those with
 * limits whose usage is not computed yet. Throws if a quota would be exceeded.
 */
export function charge(quotas: readonly JsonObject[], counted: Counted): JsonObject[] {
  const affected = quotas.flatMap((quota) => affectedBy(quota, counted));
  const charged = affected.flatMap((one) => chargedOf(one, counted));
  const names = new Set(charged.map((quota) => metaOf(quota).name));
  return [...charged, ...quotas.filter((quota) => !names.has(metaOf(quota).name) && isToBeCounted(quota, counted))];
}

/**
 * It has new limits without usage yet. It is written unchanged, so that the controller that counts it finds a new
 * revision.
 */
function isToBeCounted(quota: JsonObject, counted: Counted): boolean {
  const { storedAs } = counted.request.kind;
  const known = hardIn(quota.status);
  const fresh = [...hardIn(quota.spec).keys()].filter((name) => !known.has(name));
  const names = countedNames(storedAs, fresh);
  if (names.length === 0 || !isInScope(storedAs, quota, counted.object)) return false;
  const added = addedBy(quota, counted);
  return names.some((name) => added.has(name));
}

/** Throws if the object does not specify a counted amount, or if the usage of the quota is not known yet. */
function affectedBy(quota: JsonObject, counted: Counted): AffectedQuota[] {
  const { object, request } = counted;
  const { storedAs } = request.kind;
  const status = isJsonObject(quota.status) ? quota.status : {};
  const [hard, used] = [amountsIn(status.hard), amountsIn(status.used)];
  const names = countedNames(storedAs, [...hard.keys()]);
  if (names.length === 0 || !isInScope(storedAs, quota, object)) return [];
  const name = metaOf(quota).name ?? '';
  const missing = storedAs === 'pods' ? missingAmounts(object, names) : undefined;
  if (missing !== undefined) throw refused(counted, `failed quota: ${name}: must specify ${missing}`);
  const unknown = names.filter((one) => !used.has(one)).sort();
  if (unknown.length > 0) {
    throw refused(counted, `status unknown for quota: ${name}, resources: ${unknown.join(',')}`);
  }
  return [{ quota, name, hard, used }];
}

function chargedOf({ quota, name, hard, used }: AffectedQuota, counted: Counted): JsonObject[] {
  const requested = new Map([...addedBy(quota, counted)].filter(([one]) => hard.has(one)));
  if (requested.size === 0) return [];
  const now = new Map(used);
  addAmounts(now, requested);
  const exceeded = [...requested.keys()].filter((one) => nanosOf(now, one) > nanosOf(hard, one));
  if (exceeded.length > 0) {
    const [more, before, max] = [requested, used, hard].map((amounts) => amountsText(only(amounts, exceeded)));
    throw refused(counted, `exceeded quota: ${name}, requested: ${more}, used: ${before}, limited: ${max}`);
  }
  const status = isJsonObject(quota.status) ? quota.status : {};
  return [{ ...quota, status: { ...status, used: amountsJson(now) } }];
}

/** The additional usage. Freed usage is counted later, when usage is recomputed. */
function addedBy(quota: JsonObject, { request, object, old }: Counted): Amounts {
  const { storedAs } = request.kind;
  const before = old !== undefined && isInScope(storedAs, quota, old) ? usageOf(storedAs, old) : new Map();
  const added = new Map<string, Quantity>();
  for (const [name, amount] of usageOf(storedAs, object)) {
    const nanos = amount.nanos - nanosOf(before, name);
    if (nanos > 0n) added.set(name, { ...amount, nanos });
  }
  return added;
}

function hardIn(part: Json | undefined): Amounts {
  return amountsIn(isJsonObject(part) ? part.hard : undefined);
}

function nanosOf(amounts: Amounts, name: string): bigint {
  return amounts.get(name)?.nanos ?? 0n;
}

function only(amounts: Amounts, names: readonly string[]): Amounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}
