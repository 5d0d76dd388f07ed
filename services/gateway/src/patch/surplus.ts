import { type BodyNotes, fieldsTwice, isJsonObject, type Json, type Surplus } from '@tidegate/schema';

const OPERATION_FIELDS = new Set(['op', 'path', 'from', 'value']);

/** Fields that no operation of a JSON patch has, and those that stand twice in one. */
export function surplusOfOperations(operations: readonly unknown[], notes: BodyNotes | undefined): Surplus[] {
  const surplus: Surplus[] = [];
  for (const [i, operation] of operations.entries()) {
    if (!isJsonObject(operation)) continue;
    for (const key of Object.keys(operation)) {
      if (!OPERATION_FIELDS.has(key)) surplus.push({ what: 'unknown', field: `[${i}].${key}` });
    }
  }
  return [...surplusOfPatch(operations as Json, notes), ...surplus];
}

/** Fields that stand twice in a patch. Those that are unknown show in what it makes. */
export function surplusOfPatch(patch: Json, notes: BodyNotes | undefined): Surplus[] {
  if (notes === undefined || notes.twice.size === 0) return [];
  return fieldsTwice(patch, notes).map((field) => ({ what: 'duplicate', field }));
}
