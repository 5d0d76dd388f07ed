import { Descriptions, type Kind, type MetaTypes, type ParameterDescriptions, type Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Definitions, kindsOfTypes, PATCH, parameterDescription } from './definitions.ts';
import { type Codec, codesOf, consumed, type Operation, produced, UNAUTHORIZED } from './operation.ts';
import { operationsOf } from './operations.ts';
import { parameterType, pathParameters } from './query-parameters.ts';
import { release } from './server-facts.ts';

/** The document of one group version, in version 3 of OpenAPI. */
export async function openApiV3(registry: Registry, kinds: readonly Kind[], codec: Codec): Promise<JsonObject> {
  const { meta } = registry;
  const definitions = new Definitions(3, kindsOfTypes(registry));
  const descriptions = new Descriptions();
  const words = await descriptions.parameters();
  definitions.other(meta.listMeta);
  const paths: Record<string, JsonObject> = {};
  for (const operation of kinds.flatMap(operationsOf)) {
    const { path, method } = operation;
    paths[path] ??= pathItem(operation, words);
    (paths[path] as JsonObject)[method] = operationObject(operation, definitions, { meta, codec, words });
  }
  const info = { title: 'Tidegate', version: `v${release.major}.${release.minor}.0` };
  return { openapi: '3.0.0', info, paths, components: { schemas: await definitions.all(descriptions) } };
}

/** Empty parameters are omitted, as clients that parse and re-encode the document do. */
function pathItem(operation: Operation, words: ParameterDescriptions): JsonObject {
  const names = pathParameters(operation.path);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({
      ...parameterDescription(words, operation, { name, place: 'path' }),
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', uniqueItems: true },
    })),
  };
}

function queryParameters(operation: Operation, words: ParameterDescriptions): JsonObject[] {
  return operation.query.map((name) => ({
    ...parameterDescription(words, operation, { name, place: 'query' }),
    name,
    in: 'query',
    schema: { type: parameterType(name), uniqueItems: true },
  }));
}

/** The inputs from which the parts of a document are built. */
export interface Making {
  readonly meta: MetaTypes;
  readonly codec: Codec;
  readonly words: ParameterDescriptions;
}

function operationObject(operation: Operation, definitions: Definitions, making: Making): JsonObject {
  const { meta, codec, words } = making;
  const { id, action, of, query, tag, description } = operation;
  const content = (types: readonly string[], schema: JsonObject) =>
    Object.fromEntries(types.map((type) => [type, { schema }]));
  const taken = takenBy(operation, definitions, meta);
  const types = consumed(operation, codec);
  const required = operation.takes === 'options' ? {} : { required: true };
  const answered = content(produced(operation, codec), answeredBy(operation, definitions, meta));
  const answers = codesOf(operation).map(([code, text]) => [code, { description: text, content: answered }]);
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(query.length === 0 ? {} : { parameters: queryParameters(operation, words) }),
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
