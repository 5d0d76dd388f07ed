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

/** What is counted: a new object, or what an object becomes. */
export type Counted = Pick<Admitted, 'request' | 'object' | 'old'>;

interface Concerned {
  readonly quota: JsonObject;
  readonly name: string;
  readonly hard: Amounts;
  readonly used: Amounts;
}

/**
 * The quotas that count an object, as they are with it; those that are to be counted stay as they are, and are written all
 * the same. Refuses what one of them has no room for.
 */
export function charge(quotas: readonly JsonObject[], counted: Counted): JsonObject[] {
  const concerned = quotas.flatMap((quota) => concernedBy(quota, counted));
  const charged = concerned.flatMap((one) => chargedOf(one, counted));
  const names = new Set(charged.map((quota) => metaOf(quota).name));
  return [...charged, ...quotas.filter((quota) => !names.has(metaOf(quota).name) && isToBeCounted(quota, counted))];
}

/** It has limits that nobody has counted for yet: who does so now must find that the quota is another by then. */
function isToBeCounted(quota: JsonObject, counted: Counted): boolean {
  const { storedAs } = counted.request.kind;
  const known = hardIn(quota.status);
  const fresh = [...hardIn(quota.spec).keys()].filter((name) => !known.has(name));
  const names = countedNames(storedAs, fresh);
  if (names.length === 0 || !isInScope(storedAs, quota, counted.object)) return false;
  const added = addedBy(quota, counted);
  return names.some((name) => added.has(name));
}

/** Refuses what does not say how much it needs, and whatever is not counted yet. */
function concernedBy(quota: JsonObject, counted: Counted): Concerned[] {
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

function chargedOf({ quota, name, hard, used }: Concerned, counted: Counted): JsonObject[] {
  const requested = new Map([...addedBy(quota, counted)].filter(([one]) => hard.has(one)));
  if (requested.size === 0) return [];
  const now = new Map(used);
  addAmounts(now, requested);
  const exceeded = [...requested.keys()].filter((one) => nanosOf(now, one) > nanosOf(hard, one));
  if (exceeded.length > 0) {
    const [more, before, most] = [requested, used, hard].map((amounts) => amountsText(only(amounts, exceeded)));
    throw refused(counted, `exceeded quota: ${name}, requested: ${more}, used: ${before}, limited: ${most}`);
  }
  const status = isJsonObject(quota.status) ? quota.status : {};
  return [{ ...quota, status: { ...status, used: amountsJson(now) } }];
}

/** What it uses more than before; what becomes free is found when usage is counted anew. */
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
