import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseQuantity,
  printQuantity,
  type Quantity,
} from '@tidegate/schema';

/** Amounts of resources by name, as in `limits`, `requests` and quotas. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** Longer texts are not parsed. */
const MAX_TEXT_LENGTH = 1000;

/** Parses a map of amounts. Invalid amounts are left out; validation rejects them. */
export function amountsIn(list: Json | undefined): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, value] of Object.entries(isJsonObject(list) ? list : {})) {
    const text = String(value);
    const read = text.length > MAX_TEXT_LENGTH ? undefined : parseQuantity(text);
    if (read !== undefined && !('problem' in read)) amounts.set(name, read);
  }
  return amounts;
}

/** Whether two maps have the same amounts, in any notation. */
export function isSameAmounts(one: Json | undefined, other: Json | undefined): boolean {
  const [first, second] = [amountsIn(one), amountsIn(other)];
  return first.size === second.size && [...first].every(([name, { nanos }]) => second.get(name)?.nanos === nanos);
}

/** Adds amounts to `to`. */
export function addAmounts(to: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = to.get(name);
    // zero has no unit
    if (before === undefined || before.nanos === 0n) to.set(name, amount);
    else to.set(name, { ...before, nanos: before.nanos + amount.nanos });
  }
}

/** Raises the amounts in `to` to at least `least`. */
export function raiseAmounts(to: Map<string, Quantity>, least: Amounts): void {
  for (const [name, amount] of least) {
    const there = to.get(name);
    if (there === undefined || there.nanos < amount.nanos) to.set(name, amount);
  }
}

/** `cpu=1,pods=2`, as messages list amounts. */
export function amountsText(amounts: Amounts): string {
  const named = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([name, amount]) => `${name}=${printQuantity(amount)}`).join(',');
}

/** The amounts as JSON. */
export function amountsJson(amounts: Amounts): JsonObject {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, printQuantity(amount)]));
}

export type Usage = Map<string, Quantity>;

export const ONE = 1_000_000_000n;

export function whole(count: number): Quantity {
  return { nanos: BigInt(count) * ONE, family: 'decimal' };
}
