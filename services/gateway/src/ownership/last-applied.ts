import { metaOf } from '@tidegate/kinds';
import { type Application, type ConflictingOwners, compare, fieldsOf } from '@tidegate/managed-fields';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';

/** The annotation of client-side apply in kubectl. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object with an updated annotation after a server-side apply, so that a client can go back to client-side apply.
 */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const { annotations } = metaOf(object);
  if (!annotations?.[LAST_APPLIED]) return object;
  const { [LAST_APPLIED]: _, ...others } = metaOf(applied).annotations ?? {};
  const metadata: JsonObject = { ...(applied.metadata as JsonObject) };
  if (Object.keys(others).length > 0) metadata.annotations = others;
  else delete metadata.annotations;
  const last = `${JSON.stringify(sorted({ ...applied, metadata }))}\n`;
  const changed = { ...(object.metadata as JsonObject), annotations: { ...annotations, [LAST_APPLIED]: last } };
  return { ...object, metadata: changed };
}

/**
 * Removes conflicts with fields that kubectl's client-side apply set, although another manager is recorded for them.
 * undefined: no conflicts remain.
 */
export function toleratedConflicts(
  { versions, live }: Application,
  conflicting: ConflictingOwners,
): ConflictingOwners | undefined {
  const last = lastApplied(live);
  const { schema, apiVersion } = versions.own;
  if (last === undefined || last.apiVersion !== apiVersion) return conflicting;
  const { modified, added, removed } = compare(schema, last, live);
  const own = fieldsOf(schema, last).difference(modified).difference(added).difference(removed);
  return conflicting.without(own);
}

function lastApplied(object: JsonObject): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(metaOf(object).annotations?.[LAST_APPLIED] ?? '');
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] as Json)]));
}
