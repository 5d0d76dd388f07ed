import { isJsonObject, type Json, parseQuantity } from '@tidegate/schema';

/** No amount that anybody means is longer. */
const LONGEST = 1000;

/** An amount in billionths; what cannot be read counts as nothing, and is for validation to refuse. */
function amountOf(value: Json | undefined): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  if (text.length > LONGEST) return undefined;
  const read = parseQuantity(text);
  return 'problem' in read ? undefined : read.nanos;
}

/** The amount of a resource in a list of them: `limits`, `requests`. */
export function amountAt(list: Json | undefined, name: string): bigint | undefined {
  return isJsonObject(list) && Object.hasOwn(list, name) ? amountOf(list[name]) : undefined;
}

/** Whether two lists say the same, however it is written. */
export function isSameAmounts(one: Json | undefined, other: Json | undefined): boolean {
  const [names, others] = [one, other].map((list) => Object.keys(isJsonObject(list) ? list : {})) as [
    string[],
    string[],
  ];
  return names.length === others.length && names.every((name) => amountAt(one, name) === amountAt(other, name));
}
