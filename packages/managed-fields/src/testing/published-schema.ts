import type { Json, Schema } from '@tidegate/schema';

/** A type in the format of structured-merge-diff. */
interface Atom {
  scalar?: string;
  list?: { elementType: TypeRef; elementRelationship?: string; keys?: string[] };
  map?: {
    elementType?: TypeRef;
    elementRelationship?: string;
    fields?: Array<{ name: string; type: TypeRef; default?: Json }>;
  };
}

interface TypeRef extends Atom {
  namedType?: string;
  elementRelationship?: string;
}

export interface PublishedSchema {
  types: Array<Atom & { name: string }>;
}

const LISTS = { atomic: 'atomic', associative: 'set' } as const;

/** Converts one of its types to our schema. Types may be recursive, so fields are resolved when they are used. */
export function schemaOf({ types }: PublishedSchema, name: string): Schema {
  const known = new Map<string, Schema>();
  const named = (typeName: string): Schema => {
    const found = known.get(typeName);
    if (found !== undefined) return found;
    const made = fromAtom(types.find((type) => type.name === typeName) as Atom);
    known.set(typeName, made);
    return made;
  };
  const resolve = (ref: TypeRef): Schema => {
    const { namedType, elementRelationship } = ref;
    if (elementRelationship === undefined) return namedType === undefined ? fromAtom(ref) : named(namedType);
    const { map, list, scalar } =
      namedType === undefined ? ref : (types.find(({ name: other }) => other === namedType) as Atom);
    return fromAtom({
      ...(scalar === undefined ? {} : { scalar }),
      ...(map === undefined ? {} : { map: { ...map, elementRelationship } }),
      ...(list === undefined ? {} : { list: { ...list, elementRelationship } }),
    });
  };
  const fromAtom = ({ scalar, list, map }: Atom): Schema => {
    if (scalar !== undefined && map !== undefined) {
      return { type: 'any', ...(map.elementRelationship === 'atomic' ? {} : { deduced: true }) };
    }
    if (list !== undefined) {
      const relation = LISTS[(list.elementRelationship ?? 'atomic') as keyof typeof LISTS] ?? 'atomic';
      return {
        type: 'list',
        get items() {
          return resolve(list.elementType);
        },
        listType: list.keys !== undefined && relation === 'set' ? 'map' : relation,
        ...(list.keys === undefined ? {} : { keys: list.keys }),
      };
    }
    if (map?.fields !== undefined) {
      const { fields, elementType } = map;
      return {
        type: 'object',
        atomic: map.elementRelationship === 'atomic',
        fields: new Proxy({} as Record<string, Schema>, {
          get: (_, key) => fieldSchema(fields.find((field) => field.name === key)),
          has: (_, key) => fields.some((field) => field.name === key),
          getOwnPropertyDescriptor: (_, key) =>
            fields.some((field) => field.name === key) ? { configurable: true, enumerable: true } : undefined,
        }),
        ...(elementType === undefined
          ? {}
          : {
              get rest() {
                return resolve(elementType);
              },
            }),
      };
    }
    if (map?.elementType !== undefined) {
      const { elementType } = map;
      return {
        type: 'map',
        atomic: map.elementRelationship === 'atomic',
        get values() {
          return resolve(elementType);
        },
      };
    }
    return { type: scalar === 'numeric' ? 'int64' : 'string' };
  };
  const fieldSchema = (field: { type: TypeRef; default?: Json } | undefined): Schema | undefined => {
    if (field === undefined) return undefined;
    const schema = resolve(field.type);
    return field.default === undefined || field.default === null
      ? schema
      : (Object.create(schema, { default: { value: field.default } }) as Schema);
  };
  return named(name);
}
