import type { JsonObject, Schema } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { statusCounts, typeRules, updateRules } from './families.ts';
import { Place } from './rules/place.ts';
import { countErrors } from './rules/status-counts.ts';
import { CompiledRules } from './rules/type-rules.ts';

const compiled = new CompiledRules(typeRules);

/** The status is set by the server, and all kinds have the same rules for metadata. */
const SKIPPED = ['metadata', 'status', 'apiVersion', 'kind'];

/** The errors of an object by the rules of its types. */
export function validateTypes(schema: Schema & { type: 'object' }, object: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  compiled.visitor(schema, SKIPPED)?.(new Place(undefined, '', object, errors));
  return errors;
}

/** The errors of an update by the rules of its kind. */
export function validateTypesUpdate(resource: string, object: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const now = new Place(undefined, '', object, errors);
  const before = new Place(undefined, '', old, errors);
  for (const [path, check] of Object.entries(updateRules[resource] ?? {})) {
    if (path === '') check(now, before);
    else check(now.field(path), before.field(path));
  }
  return errors;
}

/** The errors of the numbers that a controller reports in a status. */
export function validateCounts(resource: string, object: JsonObject, old: JsonObject): FieldError[] {
  const counts = statusCounts[resource];
  return counts === undefined ? [] : countErrors(counts, object, old);
}
