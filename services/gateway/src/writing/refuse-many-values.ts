import { type Kind, metaOf } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { fieldError, invalid } from '@tidegate/status';

/** Except for definitions, the largest objects in practice have a tenth of this. */
interface Limits {
  /** fields and items, at any depth */
  readonly values: number;
  /** objects in lists, which cost most: each gets defaults, validation and ownership of its own */
  readonly listed: number;
  /** fields of one map */
  readonly keys: number;
}

const OF_OBJECT: Limits = { values: 100_000, listed: 15_000, keys: 20_000 };
/** Each field may have several owners. */
const OF_OWNERS: Limits = { values: 200_000, listed: 15_000, keys: 100_000 };

/** An object with so few values is within all limits. */
const SMALL = Math.min(...[OF_OBJECT, OF_OWNERS].flatMap((limits) => Object.values(limits)));

/**
 * Rejects an object or patch with too many values. Each value is processed several times without yielding, so a body of
 * a permitted size that consists of tiny values would block the event loop for seconds.
 */
export function refuseManyValues({ entry }: Kind, object: JsonObject): void {
  // nearly every object is small, and needs neither copies nor paths
  if (numberOfValues(object) <= SMALL) return;
  const { metadata, ...content } = object;
  const { managedFields, ...rest } = isJsonObject(metadata) ? metadata : {};
  const found =
    tooManyIn({ ...content, metadata: rest }, '', OF_OBJECT) ??
    (managedFields === undefined ? undefined : tooManyIn(managedFields, 'metadata.managedFields', OF_OWNERS));
  if (found === undefined) return;
  const { group, kind } = entry;
  const words = `Too many: with this there are more than ${found.limit}, which is the limit of one object`;
  const error = fieldError(found.field, 'FieldValueTooMany', words);
  throw invalid({ group, kind, name: metaOf(object).name ?? '' }, [error]);
}

interface Found {
  /** the first field above the limit */
  readonly field: string;
  readonly limit: string;
}

function tooManyIn(whole: Json, at: string, limit: Limits): Found | undefined {
  let [values, listed] = [0, 0];
  const inList = (items: readonly Json[], path: string): Found | undefined => {
    values += items.length;
    if (values > limit.values) return { field: path, limit: `${limit.values} fields and items` };
    for (const [i, item] of items.entries()) {
      if (!hasParts(item)) continue;
      if (++listed > limit.listed) return { field: `${path}[${i}]`, limit: `${limit.listed} objects in lists` };
      const found = search(item, `${path}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const search = (value: Json & object, path: string): Found | undefined => {
    if (Array.isArray(value)) return inList(value, path);
    const keys = Object.keys(value);
    if (keys.length > limit.keys) return { field: path, limit: `${limit.keys} fields in one map` };
    values += keys.length;
    if (values > limit.values) return { field: path, limit: `${limit.values} fields and items` };
    for (const key of keys) {
      const below = (value as JsonObject)[key] as Json;
      const found = hasParts(below) ? search(below, path === '' ? key : `${path}.${key}`) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return hasParts(whole) ? search(whole, at) : undefined;
}

/** The number of fields and items, at any depth. */
function numberOfValues(whole: Json & object): number {
  const parts: readonly Json[] = Array.isArray(whole) ? whole : Object.values(whole);
  let count = parts.length;
  for (const part of parts) if (hasParts(part)) count += numberOfValues(part);
  return count;
}

function hasParts(value: Json): value is Json & object {
  return typeof value === 'object' && value !== null;
}
