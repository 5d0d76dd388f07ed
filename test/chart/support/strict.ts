import { builtInRegistry, type Kind, setDefaults, validateMeta } from '@tidegate/kinds';
import { clean, type JsonObject } from '@tidegate/schema';
import { foreignFields } from './foreign-kinds.ts';
import type { Manifest } from './render.ts';

const registry = builtInRegistry();

/** All that is wrong with a manifest: unknown fields, wrong types, what is required, names, references between fields. */
export function mistakesIn(manifest: Manifest): string[] {
  const { apiVersion, kind: name } = manifest;
  const kind = registry.all().find((one) => one.apiVersion === apiVersion && one.entry.kind === name);
  if (kind === undefined) return foreignFields(manifest);
  const { value, surplus, problems } = clean(kind.schema, structuredClone(manifest) as JsonObject, name);
  if (problems.length > 0 || surplus.length > 0) {
    return [
      ...problems.map(({ field, message }) => `${field}: ${message}`),
      ...surplus.map(({ what, field }) => `${what} field ${field}`),
    ];
  }
  setDefaults(kind, value);
  return judged(kind, value).map(({ field, message }) => `${field}: ${message}`);
}

function judged({ entry }: Kind, object: JsonObject) {
  return [
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(entry.validateCreate?.(object) ?? []),
    ...(entry.validateWritten?.(object, undefined, '') ?? []),
  ];
}
