import type { Json, PatchRule, Schema } from '@tidegate/schema';

type Mutable<T> = { -readonly [K in keyof T]?: T[K] };
type FieldFacts = Mutable<
  Pick<Schema, 'required' | 'default' | 'enum' | 'tracksPresence' | 'patch' | 'number' | 'within'>
>;
type ListFacts = Mutable<Pick<Schema & { type: 'list' }, 'listType' | 'keys'>>;

/** Finds a type by its name in the text of a field. */
type TypeByName = (name: string) => Schema;

const SCALARS = new Set([
  'string',
  'bool',
  'int32',
  'int64',
  'double',
  'bytes',
  'quantity',
  'intOrString',
  'time',
  'microTime',
  'duration',
  'raw',
  'any',
]);

/**
 * Reads the text of one field:
 *
 *   2 []Container required map(name) patch:merge(name)
 *   6 string enum:ClusterFirst|Default
 *   1.4 bool pointer = true
 *
 * Its number (with those of the messages that JSON does not have), its type (`[]` a list, `[w]` a list that is a
 * message in Protobuf, `{}` a map), its facts, and after `=` its default as JSON.
 */
export function parseField(text: string, typeByName: TypeByName): Schema {
  const equals = text.indexOf(' = ');
  const [numbers = '-', type = '', ...keywords] = (equals < 0 ? text : text.slice(0, equals)).split(' ');
  const facts: FieldFacts = {};
  const list: ListFacts & { atomic?: boolean } = {};
  if (numbers !== '-') {
    const path = numbers.split('.').map(Number);
    facts.number = path.at(-1) as number;
    if (path.length > 1) facts.within = path.slice(0, -1);
  }
  for (const keyword of keywords) readKeyword(keyword, facts, list);
  if (equals >= 0) facts.default = JSON.parse(text.slice(equals + 3)) as Json;
  return withFacts(shapeOf(type, list, typeByName), facts);
}

function readKeyword(keyword: string, facts: FieldFacts, list: ListFacts & { atomic?: boolean }): void {
  const [, name = '', rest = ''] = /^(\w+)(.*)$/.exec(keyword) ?? [];
  switch (name) {
    case 'required':
      facts.required = true;
      return;
    case 'pointer':
      facts.tracksPresence = true;
      return;
    case 'enum':
      facts.enum = rest.slice(1).split('|');
      return;
    case 'patch':
      facts.patch = patchRule(rest.slice(1));
      return;
    case 'map':
    case 'set':
      list.listType = name;
      if (rest !== '') list.keys = rest.slice(1, -1).split(',');
      return;
    case 'atomic':
      list.listType = name;
      list.atomic = true;
      return;
    default:
      throw new Error(`the text of a field has the unknown keyword ${JSON.stringify(keyword)}`);
  }
}

function patchRule(text: string): PatchRule {
  const [, strategies = '', mergeKey] = /^([\w,]+)(?:\((\w+)\))?$/.exec(text) ?? [];
  return {
    strategies: strategies.split(',') as PatchRule['strategies'][number][],
    ...(mergeKey === undefined ? {} : { mergeKey }),
  };
}

function shapeOf(type: string, list: ListFacts & { atomic?: boolean }, typeByName: TypeByName): Schema {
  if (type.startsWith('[')) {
    const items = shapeOf(type.slice(type.indexOf(']') + 1), {}, typeByName);
    const { atomic: _atomic, ...facts } = list;
    return { type: 'list', items, ...facts, ...(type.startsWith('[w]') ? { wrapped: true } : {}) };
  }
  if (type.startsWith('{}')) {
    return { type: 'map', values: shapeOf(type.slice(2), {}, typeByName), ...(list.atomic ? { atomic: true } : {}) };
  }
  if (SCALARS.has(type)) return { type: type as 'string' };
  return typeByName(type);
}

/**
 * A named type is shared, and resolved at its first use. The facts of the field are in an object of its own, whose
 * prototype is the type.
 */
function withFacts(shape: Schema, facts: FieldFacts): Schema {
  if (shape.type !== 'object' && shape.type !== 'union') return { ...shape, ...facts } as Schema;
  return Object.create(shape, Object.getOwnPropertyDescriptors(facts)) as Schema;
}
