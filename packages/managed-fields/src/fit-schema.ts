import type { Schema } from '@tidegate/schema';
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { fieldOf, shapeOf } from './shape.ts';

/** Adds the named fields on the path to each owned part, which are not owned themselves. */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  const members = set.elements.map((element, i) => {
    const isNamed = set.below[i] !== undefined && isNamedField(element, schema);
    return (set.members[i] as boolean) || isNamed;
  });
  const below = set.below.map((deeper, i) =>
    deeper === undefined ? undefined : withNamedFields(deeper, schemaAt(schema, set.elements[i] as PathElement)),
  );
  return new FieldSet(set.elements, members, below);
}

const fittings = new WeakMap<FieldSet, WeakMap<Schema, FieldSet>>();

/** Adapts a set to a schema in which a value has become atomic: the owner of a part then owns the whole value. */
export function fitToSchema(set: FieldSet, schema: Schema): FieldSet {
  let bySchema = fittings.get(set);
  if (bySchema === undefined) {
    bySchema = new WeakMap();
    fittings.set(set, bySchema);
  }
  let result = bySchema.get(schema);
  if (result === undefined) {
    result = fitted(set, schema);
    bySchema.set(schema, result);
  }
  return result;
}

function fitted(set: FieldSet, schema: Schema): FieldSet {
  let changed = false;
  const members = [...set.members];
  const below = set.below.map((deeper, i) => {
    const at = deeper === undefined ? undefined : schemaAt(schema, set.elements[i] as PathElement);
    if (deeper === undefined || at === undefined) return deeper;
    if (isWhole(at)) {
      changed = true;
      members[i] = true;
      return undefined;
    }
    const inner = fitted(deeper, at);
    changed ||= inner !== deeper;
    return inner;
  });
  return changed ? new FieldSet(set.elements, members, below) : set;
}

function isWhole(schema: Schema): boolean {
  const hasParts = schema.type === 'list' || schema.type === 'map' || schema.type === 'object';
  return hasParts && shapeOf(schema).kind === 'whole';
}

function isNamedField(element: PathElement, schema: Schema | undefined): boolean {
  return schema?.type === 'object' && element.startsWith('f:') && Object.hasOwn(schema.fields, element.slice(2));
}

function schemaAt(schema: Schema | undefined, element: PathElement): Schema | undefined {
  if (element.startsWith('f:')) {
    if (schema?.type !== 'object' && schema?.type !== 'map') return undefined;
    const field = fieldOf(schema, element.slice(2));
    return field.isNamed || schema.type === 'map' ? field.schema : undefined;
  }
  return schema?.type === 'list' ? schema.items : undefined;
}
