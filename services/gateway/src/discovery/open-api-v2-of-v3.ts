import { isJsonObject, type Json, type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { RemoteVersion } from './served-groups.ts';

/** A remote group version in OpenAPI v2, converted from its v3 document. */
interface Part {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

/** Adds the remote group versions to a document. For types with the same name this server's wins. */
export function withRemotes(document: JsonObject, remotes: Iterable<RemoteVersion>): JsonObject {
  const paths: JsonObject = { ...(document.paths as JsonObject) };
  const definitions: JsonObject = { ...(document.definitions as JsonObject) };
  for (const remote of remotes) {
    const part = partOf(remote);
    Object.assign(paths, part.paths);
    for (const [name, type] of Object.entries(part.definitions)) {
      if (!Object.hasOwn(definitions, name)) definitions[name] = type;
    }
  }
  return { ...document, paths, definitions };
}

/** Invalid documents of remote servers are omitted. */
function partOf({ group, version, openApi }: RemoteVersion): Part {
  const nothing: Part = { paths: {}, definitions: {} };
  if (openApi.document === undefined) return nothing;
  let said: unknown;
  try {
    said = parseOwnJson(openApi.document.body);
  } catch {
    // a SyntaxError, or an error of the parser of long numbers: not JSON
    return nothing;
  }
  const { paths = {}, components = {} } = (isJsonObject(said as Json) ? said : {}) as JsonObject;
  const own = `/apis/${group}/${version}`;
  const schemas = isJsonObject(components) && isJsonObject(components.schemas) ? components.schemas : {};
  return {
    paths: mapped(isJsonObject(paths) ? paths : {}, (item, path) =>
      path === own || path.startsWith(`${own}/`) ? pathItem(item) : undefined,
    ),
    definitions: mapped(schemas, schemaOf),
  };
}

function mapped(object: JsonObject, made: (value: JsonObject, name: string) => Json | undefined): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]): Array<[string, Json]> => {
    const one = isJsonObject(value) ? made(value, name) : undefined;
    return one === undefined ? [] : [[name, one]];
  });
  return Object.fromEntries(entries);
}

function pathItem(item: JsonObject): JsonObject {
  const operations = mapped(item, operation);
  return Array.isArray(item.parameters) ? { ...operations, parameters: parametersOf(item) } : operations;
}

function operation({ requestBody, responses, ...said }: JsonObject): JsonObject {
  const taken = isJsonObject(requestBody) ? contentOf(requestBody) : undefined;
  const body = taken && { name: 'body', in: 'body', required: true, schema: taken.schema };
  const answers = mapped(isJsonObject(responses) ? responses : {}, (response) => {
    const { schema } = contentOf(response) ?? {};
    return { description: response.description ?? '', ...(schema === undefined ? {} : { schema }) };
  });
  return {
    ...said,
    consumes: taken?.types ?? ['*/*'],
    produces: producedBy(responses),
    parameters: [...(body === undefined ? [] : [body]), ...parametersOf(said)],
    responses: answers,
  };
}

function contentOf({ content }: JsonObject): { types: string[]; schema: JsonObject } | undefined {
  if (!isJsonObject(content)) return undefined;
  const [first] = Object.values(content);
  const schema = isJsonObject(first) && isJsonObject(first.schema) ? first.schema : {};
  return { types: Object.keys(content), schema: schemaOf(schema) };
}

function producedBy(responses: Json | undefined): string[] {
  const [first] = Object.values(isJsonObject(responses) ? responses : {});
  return (isJsonObject(first) ? contentOf(first)?.types : undefined) ?? ['application/json'];
}

/** In v2 the type of a parameter is a field of the parameter itself. */
function parametersOf({ parameters }: JsonObject): JsonObject[] {
  if (!Array.isArray(parameters)) return [];
  return parameters.filter(isJsonObject).map(({ schema, ...parameter }) => ({
    ...parameter,
    ...(isJsonObject(schema) ? schemaOf(schema) : {}),
  }));
}

const REFERENCE = '#/components/schemas/';
/** Keywords that v2 does not have. */
const UNKNOWN = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable']);

function schemaOf(schema: JsonObject): JsonObject {
  const { allOf } = schema;
  // v3 wraps a reference that has a description or other fields
  const [only, ...others] = Array.isArray(allOf) ? allOf : [];
  const said = isJsonObject(only) && others.length === 0 ? { ...only, ...schema } : schema;
  return Object.fromEntries(
    Object.entries(said)
      .filter(([name]) => !UNKNOWN.has(name))
      .map(([name, value]): [string, Json] => {
        if (name === '$ref') return [name, String(value).replace(REFERENCE, '#/definitions/')];
        if (name === 'properties' && isJsonObject(value)) return [name, mapped(value, schemaOf)];
        const isSchema = (name === 'items' || name === 'additionalProperties') && isJsonObject(value);
        return [name, isSchema ? schemaOf(value) : (value as Json)];
      }),
  );
}
