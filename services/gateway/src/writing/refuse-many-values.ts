import { type Kind, metaOf } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { fieldError, invalid } from '@tidegate/status';

/** What the largest objects have that people and controllers write is a tenth of these, but for definitions. */
interface Limits {
  /** fields and items, at any depth */
  readonly values: number;
  /** objects that stand in lists: each is given defaults, judged, and owned by itself, which costs most */
  readonly listed: number;
  /** fields of one map */
  readonly keys: number;
}

const OF_OBJECT: Limits = { values: 100_000, listed: 15_000, keys: 20_000 };
/** Several owners may name each field. */
const OF_OWNERS: Limits = { values: 200_000, listed: 15_000, keys: 100_000 };

/**
 * Refuses an object, or a patch, of more values than a gateway looks through at once. It looks at each of them several
 * times before it can do anything else, so that a body of a permitted size that is made of nothing but tiny ones would hold
 * it for seconds.
 */
export function refuseManyValues({ entry }: Kind, object: JsonObject): void {
  const { metadata, ...content } = object;
  const { managedFields, ...rest } = isJsonObject(metadata) ? metadata : {};
  const found =
    tooManyIn({ ...content, metadata: rest }, '', OF_OBJECT) ??
    (managedFields === undefined ? undefined : tooManyIn(managedFields, 'metadata.managedFields', OF_OWNERS));
  if (found === undefined) return;
  const { group, kind } = entry;
  const words = `Too many: with this there are more than ${found.most}, which is the limit of one object`;
  const error = fieldError(found.field, 'FieldValueTooMany', words);
  throw invalid({ group, kind, name: metaOf(object).name ?? '' }, [error]);
}

interface Found {
  /** where the first is that is one too many */
  readonly field: string;
  readonly most: string;
}

function tooManyIn(whole: Json, at: string, most: Limits): Found | undefined {
  let [values, listed] = [0, 0];
  const inList = (items: readonly Json[], path: string): Found | undefined => {
    values += items.length;
    if (values > most.values) return { field: path, most: `${most.values} fields and items` };
    for (const [i, item] of items.entries()) {
      if (!hasParts(item)) continue;
      if (++listed > most.listed) return { field: `${path}[${i}]`, most: `${most.listed} objects in lists` };
      const found = look(item, `${path}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const look = (value: Json & object, path: string): Found | undefined => {
    if (Array.isArray(value)) return inList(value, path);
    const keys = Object.keys(value);
    if (keys.length > most.keys) return { field: path, most: `${most.keys} fields in one map` };
    values += keys.length;
    if (values > most.values) return { field: path, most: `${most.values} fields and items` };
    for (const key of keys) {
      const below = (value as JsonObject)[key] as Json;
      const found = hasParts(below) ? look(below, path === '' ? key : `${path}.${key}`) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return hasParts(whole) ? look(whole, at) : undefined;
}

function hasParts(value: Json): value is Json & object {
  return typeof value === 'object' && value !== null;
}
