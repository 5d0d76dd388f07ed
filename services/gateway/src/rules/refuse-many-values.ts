import { type Kind, metaOf } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { fieldError, invalid } from '@tidegate/status';

/**
 * Fields and items of one object, at any depth. A gateway looks at each of them several times before it can do anything
 * else, so a body of a permitted size that is made of nothing but tiny ones would hold it for seconds. The largest objects
 * that controllers write have a tenth of them.
 */
const MOST_VALUES = 100_000;
/** Of these, objects that stand in lists: each is given defaults, judged, and owned by itself, which costs most. */
const MOST_LISTED = 15_000;
/** Several owners may name each field. */
const MOST_OWNED = 2 * MOST_VALUES;

/** Refuses an object, or a patch, of more values than a gateway looks through at once. */
export function refuseManyValues({ entry }: Kind, object: JsonObject): void {
  const { managedFields = [] } = isJsonObject(object.metadata) ? object.metadata : {};
  const owned = countOf(managedFields, MOST_OWNED);
  const all = countOf(object, MOST_OWNED + MOST_VALUES);
  const isOwned = owned > MOST_OWNED;
  const hasMany = isOwned || all - owned > MOST_VALUES;
  if (!hasMany && (all <= MOST_LISTED || listedIn(object) <= MOST_LISTED)) return;
  const field = isOwned ? 'metadata.managedFields' : fullestIn({ ...object, metadata: withoutOwners(object) });
  const most = hasMany ? `${isOwned ? MOST_OWNED : MOST_VALUES} fields and items` : `${MOST_LISTED} objects in lists`;
  const words = `Too many: an object can have at most ${most} in all, and most of them are here`;
  const { group, kind } = entry;
  throw invalid({ group, kind, name: metaOf(object).name ?? '' }, [fieldError(field, 'FieldValueTooMany', words)]);
}

function withoutOwners({ metadata = null }: JsonObject): Json {
  if (!isJsonObject(metadata)) return metadata;
  const { managedFields: _owners, ...rest } = metadata;
  return rest;
}

/** How many there are; it counts no further than needed to know that there are more than enough. */
function countOf(value: Json, enough: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Array.isArray(value) ? value : Object.values(value);
  let count = items.length;
  for (const item of items) {
    if (count > enough) break;
    count += countOf(item, enough - count);
  }
  return count;
}

/** How many objects stand in lists. */
function listedIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  let count = 0;
  for (const item of isList ? value : Object.values(value))
    count += listedIn(item) + (isList && isJsonObject(item) ? 1 : 0);
  return count;
}

/** The path to the innermost value that has more than half of them. */
function fullestIn(object: JsonObject): string {
  const half = countOf(object, Number.POSITIVE_INFINITY) / 2;
  /** the innermost first */
  const steps: Array<string | number> = [];
  const visit = (value: Json): number => {
    if (typeof value !== 'object' || value === null) return 0;
    let count = 0;
    for (const step of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const below = visit((value as Record<string | number, Json>)[step] as Json);
      count += 1 + below;
      if (steps.length === 0 && below <= half) continue;
      steps.push(step);
      break;
    }
    return count;
  };
  visit(object);
  return steps.reduceRight<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}
