import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';

/** The value at a path such as `spec.nodeName`; undefined when there is none. */
export function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const step of path.split('.')) {
    if (!isJsonObject(value)) return undefined;
    value = Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Selectable fields by their paths: the text at the path, or the given one when there is none. */
export function textFields(
  fallbacks: Readonly<Record<string, string>>,
): Readonly<Record<string, (object: JsonObject) => string>> {
  return Object.fromEntries(
    Object.entries(fallbacks).map(([path, fallback]) => [path, (object) => String(valueAt(object, path) ?? fallback)]),
  );
}

export function partOf(object: JsonObject, name: string): JsonObject {
  const part = object[name];
  return isJsonObject(part) ? part : {};
}
