import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import {
  any,
  bytes,
  type Field,
  flag,
  message,
  named,
  namedInTurns,
  number,
  text,
  texts,
  whole,
} from './protobuf-writer.ts';

/**
 * A document of OpenAPI v3 in the Protobuf form that clients of Kubernetes ask for, by the numbers of gnostic's
 * openapi.v3 messages. Only what documents of ours and of custom resources say is written.
 */
export async function openApiV3Protobuf(document: JsonObject): Promise<Buffer> {
  const info = document.info as JsonObject;
  const components = document.components as JsonObject;
  return message(
    text(1, document.openapi),
    bytes(2, message(text(1, info.title), text(6, info.version))),
    bytes(4, message(...(await namedInTurns(1, document.paths, pathItem)))),
    bytes(5, bytes(1, message(...(await namedInTurns(1, components.schemas, schemaOrReference))))),
  );
}

const METHODS = { get: 4, put: 5, post: 6, delete: 7, options: 8, head: 9, patch: 10 } as const;

function pathItem(item: JsonObject): Buffer {
  const operations = Object.entries(METHODS).map(([method, field]) => {
    const found = item[method];
    return isJsonObject(found) ? bytes(field, operation(found)) : undefined;
  });
  return message(...operations, ...parameters(13, item.parameters));
}

function operation(found: JsonObject): Buffer {
  const { requestBody } = found;
  const responses = named(2, found.responses, (response) =>
    bytes(1, message(text(1, response.description), content(3, response.content))),
  );
  const body = ({ content: types, required }: JsonObject) => message(content(2, types), flag(3, required));
  return message(
    texts(1, found.tags as string[] | undefined),
    text(3, found.description),
    text(5, found.operationId),
    ...parameters(6, found.parameters),
    isJsonObject(requestBody) ? bytes(7, bytes(1, body(requestBody))) : undefined,
    bytes(8, message(...responses)),
    ...extensions(13, found),
  );
}

function content(field: number, types: Json | undefined): Field {
  if (!isJsonObject(types)) return undefined;
  const write = ({ schema }: JsonObject) =>
    isJsonObject(schema) ? bytes(1, schemaOrReference(schema)) : Buffer.alloc(0);
  return bytes(field, message(...named(1, types, write)));
}

function parameters(field: number, all: Json | undefined): Field[] {
  return ((all ?? []) as JsonObject[]).map(({ name, in: place, description, required, schema }) => {
    const of = isJsonObject(schema) ? bytes(10, schemaOrReference(schema)) : undefined;
    const said = [text(1, name), text(2, place), text(3, description), flag(4, required), of];
    return bytes(field, bytes(1, message(...said)));
  });
}

function schemaOrReference(found: JsonObject): Buffer {
  if (typeof found.$ref !== 'string') return bytes(1, schemaOf(found));
  return bytes(2, message(text(1, found.$ref), text(3, found.description)));
}

function schemaOf(found: JsonObject): Buffer {
  const { items, properties, additionalProperties, not } = found;
  return message(
    flag(1, found.nullable),
    text(9, found.title),
    ...limits(found),
    texts(23, found.required as string[] | undefined),
    ...((found.enum ?? []) as Json[]).map((value) => bytes(24, any(value))),
    text(25, found.type),
    ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((name, index) => schemas(26 + index, found[name])),
    isJsonObject(not) ? bytes(29, schemaOf(not)) : undefined,
    isJsonObject(items) ? bytes(30, bytes(1, schemaOrReference(items))) : undefined,
    isJsonObject(properties) ? bytes(31, message(...named(1, properties, schemaOrReference))) : undefined,
    additional(additionalProperties),
    defaultOf(found.default),
    text(34, found.description),
    text(35, found.format),
    ...extensions(36, found),
  );
}

function limits(found: JsonObject): Field[] {
  return [
    number(10, found.multipleOf),
    number(11, found.maximum),
    flag(12, found.exclusiveMaximum),
    number(13, found.minimum),
    flag(14, found.exclusiveMinimum),
    whole(15, found.maxLength),
    whole(16, found.minLength),
    text(17, found.pattern),
    whole(18, found.maxItems),
    whole(19, found.minItems),
    flag(20, found.uniqueItems),
    whole(21, found.maxProperties),
    whole(22, found.minProperties),
  ];
}

function schemas(field: number, all: Json | undefined): Field[] {
  return ((all ?? []) as JsonObject[]).map((one) => bytes(field, schemaOrReference(one)));
}

function additional(found: Json | undefined): Field {
  if (isJsonObject(found)) return bytes(32, bytes(1, schemaOrReference(found)));
  return found === true ? bytes(32, message(flag(2, true))) : undefined;
}

/** Texts, numbers and truths alone can be said there. */
function defaultOf(value: Json | undefined): Field {
  switch (typeof value) {
    case 'number':
      return bytes(33, number(1, value) as Buffer);
    case 'boolean':
      return bytes(33, whole(2, value ? 1 : 0) as Buffer);
    case 'string':
      return bytes(33, bytes(3, Buffer.from(value)));
    default:
      return undefined;
  }
}

function extensions(field: number, found: JsonObject): Field[] {
  return Object.entries(found)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => bytes(field, message(text(1, name), bytes(2, any(value)))));
}
