import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { any, bytes, type Field, flag, message, named, namedInTurns, text, texts } from './protobuf-writer.ts';

/**
 * A document of OpenAPI v2 in the Protobuf form that clients of Kubernetes ask for, by the numbers of gnostic's
 * openapi.v2 messages. Only what our documents say is written.
 */
export async function openApiV2Protobuf(document: JsonObject): Promise<Buffer> {
  const info = document.info as JsonObject;
  return message(
    text(1, document.swagger),
    bytes(2, message(text(1, info.title), text(2, info.version))),
    bytes(8, message(...(await namedInTurns(2, document.paths, pathItem)))),
    bytes(9, message(...(await namedInTurns(1, document.definitions, schema)))),
  );
}

const METHODS = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 } as const;

function pathItem(item: JsonObject): Buffer {
  const operations = Object.entries(METHODS).map(([method, number]) => {
    const found = item[method];
    return isJsonObject(found) ? bytes(number, operation(found)) : undefined;
  });
  return message(...operations, ...parameters(9, item.parameters));
}

function operation(found: JsonObject): Buffer {
  const responses = named(1, found.responses, (response) => {
    const of = isJsonObject(response.schema) ? bytes(2, bytes(1, schema(response.schema))) : undefined;
    return bytes(1, message(text(1, response.description), of));
  });
  return message(
    texts(1, found.tags as string[] | undefined),
    text(3, found.description),
    text(5, found.operationId),
    texts(6, found.produces as string[]),
    texts(7, found.consumes as string[]),
    ...parameters(8, found.parameters),
    bytes(9, message(...responses)),
    ...extensions(13, found),
  );
}

function parameters(number: number, all: Json | undefined): Field[] {
  return ((all ?? []) as JsonObject[]).map((found) => bytes(number, bytes(1, parameter(found))));
}

function parameter(found: JsonObject): Buffer {
  const { name, required, type, description } = found;
  switch (found.in) {
    case 'body': {
      const of = isJsonObject(found.schema) ? bytes(5, schema(found.schema)) : undefined;
      return bytes(1, message(text(1, description), text(2, name), text(3, 'body'), flag(4, required), of));
    }
    case 'path': {
      const said = [flag(1, required), text(2, 'path'), text(3, description), text(4, name), text(5, type)];
      return bytes(2, bytes(4, message(...said, flag(19, true))));
    }
    default: {
      const said = [text(2, 'query'), text(3, description), text(4, name), text(6, type), flag(20, true)];
      return bytes(2, bytes(3, message(...said)));
    }
  }
}

function schema(found: JsonObject): Buffer {
  const { additionalProperties, items, properties, type } = found;
  return message(
    text(1, found.$ref),
    text(2, found.format),
    text(4, found.description),
    texts(19, found.required as string[]),
    ...((found.enum ?? []) as string[]).map((value) => bytes(20, any(value))),
    isJsonObject(additionalProperties) ? bytes(21, bytes(1, schema(additionalProperties))) : undefined,
    typeof type === 'string' ? bytes(22, message(text(1, type))) : undefined,
    isJsonObject(items) ? bytes(23, bytes(1, schema(items))) : undefined,
    isJsonObject(properties) ? bytes(25, message(...named(1, properties, schema))) : undefined,
    ...extensions(31, found),
  );
}

/** What only Kubernetes says. */
function extensions(number: number, found: JsonObject): Field[] {
  return Object.entries(found)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => bytes(number, message(text(1, name), bytes(2, any(value)))));
}
