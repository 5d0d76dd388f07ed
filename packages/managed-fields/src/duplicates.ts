import { isJsonObject, type Json, type Schema } from '@tidegate/schema';
import { type PathElement, printPath } from './path-element.ts';
import { elementOf, fieldOf, shapeOf } from './shape.ts';

/** Describes the first list item that has the same keys as an earlier one; undefined if there is none. */
export function duplicateIn(schema: Schema, value: Json): string | undefined {
  const path = pathOfDuplicate(schema, value);
  const twice = path?.at(-1);
  if (path === undefined || twice === undefined) return undefined;
  return `${printPath(path.slice(0, -1))}: duplicate entries for key ${printPath([twice])}`;
}

function pathOfDuplicate(schema: Schema, value: Json): PathElement[] | undefined {
  const shape = shapeOf(schema);
  if (shape.kind === 'fields' && isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const field = fieldOf(shape.schema, name);
      const found = pathOfDuplicate(field.schema, value[name] as Json);
      if (found !== undefined) return [field.element, ...found];
    }
  } else if (shape.kind === 'items' && Array.isArray(value)) {
    const seen = new Set<PathElement>();
    for (const item of value) {
      const element = elementOf(shape.schema, item);
      if (seen.has(element)) return [element];
      seen.add(element);
      const found = pathOfDuplicate(shape.schema.items, item);
      if (found !== undefined) return [element, ...found];
    }
  }
  return undefined;
}
