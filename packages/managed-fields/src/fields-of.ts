import { isJsonObject, type Json, type Schema } from '@tidegate/schema';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { elementOf, fieldOf, shapeOf } from './shape.ts';

/** What somebody says something about who applies this: its leaves, the keys of its maps and the items of its lists. */
export function fieldsOf(schema: Schema, value: Json): FieldSet {
  const fields = new FieldSetBuilder();
  addFields(schema, value, [], fields);
  return fields.finish();
}

function addFields(schema: Schema, value: Json, path: PathElement[], fields: FieldSetBuilder): void {
  const shape = shapeOf(schema);
  if (shape.kind === 'fields' && isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const field = fieldOf(shape.schema, name);
      const item = value[name] as Json;
      path.push(fieldElement(name));
      addFields(field.schema, item, path, fields);
      if (!field.isNamed || item === null || (isJsonObject(item) && Object.keys(item).length === 0)) fields.add(path);
      path.pop();
    }
  } else if (shape.kind === 'items' && Array.isArray(value)) {
    const elements = value.map((item) => elementOf(shape.schema, item));
    for (const [i, item] of value.entries()) {
      const element = elements[i] as PathElement;
      path.push(element);
      // of items that nothing tells apart nobody owns a part
      if (elements.indexOf(element) === elements.lastIndexOf(element)) {
        addFields(shape.schema.items, item, path, fields);
      }
      fields.add(path);
      path.pop();
    }
  } else if (shape.kind === 'whole' || value !== null) fields.add(path);
}
