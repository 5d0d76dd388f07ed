import { builtInRegistry, type Kind, setDefaults, validateMeta } from '@tidegate/kinds';
import { clean, type JsonObject } from '@tidegate/schema';
import { foreignKindMistakes } from './foreign-kinds.ts';
import type { Manifest } from './render.ts';

const registry = builtInRegistry();

/** Unknown fields, wrong types, missing fields and all other validation errors of a manifest. */
export function findMistakes(manifest: Manifest): string[] {
  const { apiVersion, kind: name } = manifest;
  const kind = registry.all().find((one) => one.apiVersion === apiVersion && one.entry.kind === name);
  if (kind === undefined) return foreignKindMistakes(manifest);
  const { value, surplus, problems } = clean(kind.schema, structuredClone(manifest) as JsonObject, name);
  if (problems.length > 0 || surplus.length > 0) {
    return [
      ...problems.map(({ field, message }) => `${field}: ${message}`),
      ...surplus.map(({ what, field }) => `${what} field ${field}`),
    ];
  }
  setDefaults(kind, value);
  return validationErrors(kind, value).map(({ field, message }) => `${field}: ${message}`);
}

function validationErrors({ entry }: Kind, object: JsonObject) {
  return [
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(entry.validateCreate?.(object) ?? []),
    ...(entry.validateWritten?.(object, undefined, '') ?? []),
  ];
}
