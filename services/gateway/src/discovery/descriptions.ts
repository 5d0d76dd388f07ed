import type { ParameterWords, TypeWords } from '@tidegate/kinds';
import type { JsonObject, OpenApiOptions } from '@tidegate/schema';
import type { Operation } from './operation-words.ts';

/** A type with what is said of it and of its fields. What it already says of itself stays. */
export function withDescriptions(type: JsonObject, words: TypeWords, version: OpenApiOptions['version']): JsonObject {
  const { '': own, ...ofFields } = words;
  const properties = type.properties as JsonObject | undefined;
  return {
    ...(own === undefined ? {} : { description: own }),
    ...type,
    ...(properties === undefined ? {} : { properties: worded(properties, ofFields, version) }),
  };
}

function worded(properties: JsonObject, words: TypeWords, version: OpenApiOptions['version']): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const description = Object.hasOwn(words, name) ? words[name] : undefined;
      if (description === undefined) return [name, property];
      return [name, { description, ...(version === 2 ? (property as JsonObject) : alone(property as JsonObject)) }];
    }),
  );
}

/** Beside a reference nothing is read in version 3. */
function alone(property: JsonObject): JsonObject {
  const { $ref, ...rest } = property;
  return $ref === undefined ? property : { ...rest, allOf: [{ $ref }] };
}

export interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query';
}

/** What is said of a parameter of an operation; nothing where nothing is known. */
export function parameterDescription(
  { path, query }: ParameterWords,
  { of, action, nameOf }: Operation,
  { name, place }: Parameter,
): { description?: string } {
  if (place === 'path' && name === 'name') return { description: `name of the ${nameOf}` };
  const words = place === 'path' ? path : query;
  const description = words[`${of.kind}.${name}`] ?? words[`${action}.${name}`] ?? words[name];
  return description === undefined ? {} : { description };
}
