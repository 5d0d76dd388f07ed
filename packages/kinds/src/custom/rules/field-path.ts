import type { JsonSchema } from '../values/json-schema.ts';

const STEP = /\.([^.[\]']*)|\['((?:[^'\\]|\\.)*)'\]/sy;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/** Parses `.spec['a.b'].c`, which errors show as `spec.a.b.c`. undefined: the schema has no such field. */
export function fieldPathOf(path: string, schema: JsonSchema): string | undefined {
  let found = '';
  let here: JsonSchema | undefined = schema;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    const name = match === null ? undefined : (match[1] ?? unescaped(match[2] ?? ''));
    if (name === undefined || here === undefined) return undefined;
    const { properties, additionalProperties }: JsonSchema = here;
    if (properties !== undefined) {
      here = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (here === undefined) return undefined;
      found += found === '' ? name : `.${name}`;
    } else if (typeof additionalProperties === 'object') {
      here = additionalProperties;
      found += `[${name}]`;
    } else return undefined;
  }
  return found;
}

function unescaped(text: string): string | undefined {
  let isKnown = true;
  const plain = text.replace(/\\(.)/gs, (_, character: string) => {
    isKnown &&= Object.hasOwn(ESCAPES, character);
    return ESCAPES[character] ?? '';
  });
  return isKnown ? plain : undefined;
}
