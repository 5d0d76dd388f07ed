import { isJsonObject, type Json, type Schema } from '@tidegate/schema';
import { fieldElement, type PathElement, printPath } from './path-element.ts';
import { elementOf, fieldOf, shapeOf } from './shape.ts';

/** Where a list has an item that stands for the same as another, and which; undefined when none has. */
export function duplicateIn(schema: Schema, value: Json, path: readonly PathElement[] = []): string | undefined {
  const shape = shapeOf(schema);
  if (shape.kind === 'fields' && isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const at = [...path, fieldElement(name)];
      const found = duplicateIn(fieldOf(shape.schema, name).schema, value[name] as Json, at);
      if (found !== undefined) return found;
    }
  } else if (shape.kind === 'items' && Array.isArray(value)) {
    const seen = new Set<PathElement>();
    for (const item of value) {
      const element = elementOf(shape.schema, item);
      if (seen.has(element)) return `${printPath(path)}: duplicate entries for key ${printPath([element])}`;
      seen.add(element);
      const found = duplicateIn(shape.schema.items, item, [...path, element]);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
