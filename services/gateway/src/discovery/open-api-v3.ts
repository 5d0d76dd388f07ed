import type { Kind, MetaTypes, Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Definitions, kindsOfTypes, PATCH } from './definitions.ts';
import { type Codec, codesOf, consumed, produced, UNAUTHORIZED } from './operation-media.ts';
import { type Operation, operationsOf } from './operations.ts';
import { parameterType, pathParameters } from './query-parameters.ts';
import { version } from './version.ts';

/** The document of one group version, in version 3 of OpenAPI. */
export async function openApiV3(registry: Registry, kinds: readonly Kind[], codec: Codec): Promise<JsonObject> {
  const { meta } = registry;
  const definitions = new Definitions(3, kindsOfTypes(registry));
  definitions.other(meta.listMeta);
  const paths: Record<string, JsonObject> = {};
  for (const operation of kinds.flatMap(operationsOf)) {
    const { path, method } = operation;
    paths[path] ??= pathItem(path);
    (paths[path] as JsonObject)[method] = operationObject(operation, definitions, { meta, codec });
  }
  const info = { title: 'Tidegate', version: `v${version.major}.${version.minor}.0` };
  return { openapi: '3.0.0', info, paths, components: { schemas: await definitions.all() } };
}

/** Where there are no parameters, nothing is said of them: clients that read a document and write it do the same. */
function pathItem(path: string): JsonObject {
  const names = pathParameters(path);
  return names.length === 0 ? {} : { parameters: names.map(pathParameter) };
}

function operationObject(
  operation: Operation,
  definitions: Definitions,
  { meta, codec }: { meta: MetaTypes; codec: Codec },
): JsonObject {
  const { id, action, of, query, tag, description } = operation;
  const content = (types: readonly string[], schema: JsonObject) =>
    Object.fromEntries(types.map((type) => [type, { schema }]));
  const taken = takenBy(operation, definitions, meta);
  const types = consumed(operation, codec);
  const required = operation.takes === 'options' ? {} : { required: true };
  const answered = content(produced(operation, codec), answeredBy(operation, definitions, meta));
  const answers = codesOf(operation).map(([code, words]) => [code, { description: words, content: answered }]);
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(query.length === 0 ? {} : { parameters: query.map(queryParameter) }),
    ...(taken === undefined || types === undefined
      ? {}
      : { requestBody: { content: content(types, taken), ...required } }),
    responses: { ...Object.fromEntries(answers), ...UNAUTHORIZED },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...of },
  };
}

/** The type of a request's body; undefined when it has none. */
export function takenBy(operation: Operation, definitions: Definitions, meta: MetaTypes): JsonObject | undefined {
  switch (operation.takes) {
    case 'nothing':
      return undefined;
    case 'object':
      return { $ref: definitions.object(operation.entry) };
    case 'options':
      return { $ref: definitions.other(meta.deleteOptions) };
    case 'patch':
      return { $ref: definitions.other(PATCH) };
  }
}

/** The type of an answer's body. */
export function answeredBy({ answers, entry }: Operation, definitions: Definitions, meta: MetaTypes): JsonObject {
  switch (answers) {
    case 'text':
    case 'anything':
      return { type: 'string' };
    case 'list':
      return { $ref: definitions.list(entry) };
    case 'status':
      return { $ref: definitions.other(meta.status) };
    case 'object':
      return { $ref: definitions.object(entry) };
  }
}

function pathParameter(name: string): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } };
}

function queryParameter(name: string): JsonObject {
  return { name, in: 'query', schema: { type: parameterType(name), uniqueItems: true } };
}
