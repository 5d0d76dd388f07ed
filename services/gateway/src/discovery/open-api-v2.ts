import { Descriptions, type Kind, type ParameterDescriptions, type Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Definitions, kindsOfTypes, type Parameter, parameterDescription } from './definitions.ts';
import { answeredBy, type Making, takenBy } from './open-api-v3.ts';
import { type Codec, codesOf, consumed, type Operation, produced, UNAUTHORIZED } from './operation.ts';
import { operationsOf } from './operations.ts';
import { parameterType, pathParameters } from './query-parameters.ts';
import { release } from './server-facts.ts';

/** Everything that is served in one document, in version 2 of OpenAPI, for older clients. */
export async function openApiV2(registry: Registry, kinds: readonly Kind[], codec: Codec): Promise<JsonObject> {
  const { meta } = registry;
  const definitions = new Definitions(2, kindsOfTypes(registry));
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
  return { swagger: '2.0', info, paths, definitions: await definitions.all(descriptions) };
}

function pathItem(operation: Operation, words: ParameterDescriptions): JsonObject {
  const parameters = pathParameters(operation.path).map((name) => parameter(operation, words, { name, place: 'path' }));
  return parameters.length === 0 ? {} : { parameters };
}

function operationObject(operation: Operation, definitions: Definitions, making: Making): JsonObject {
  const { meta, codec, words } = making;
  const { id, tag, description, takes, query, action, of } = operation;
  const taken = takenBy(operation, definitions, meta);
  const body = { name: 'body', in: 'body', ...(takes === 'options' ? {} : { required: true }) };
  const parameters = [
    ...(taken === undefined ? [] : [{ ...body, schema: taken }]),
    ...query.map((name) => parameter(operation, words, { name, place: 'query' })),
  ];
  const schema = answeredBy(operation, definitions, meta);
  return {
    tags: [tag],
    description,
    operationId: id,
    consumes: [...(consumed(operation, codec) ?? ['*/*'])],
    produces: [...produced(operation, codec)],
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: {
      ...Object.fromEntries(codesOf(operation).map(([code, text]) => [code, { description: text, schema }])),
      ...UNAUTHORIZED,
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...of },
  };
}

function parameter(operation: Operation, words: ParameterDescriptions, { name, place }: Parameter): JsonObject {
  const required = place === 'path' ? { required: true } : {};
  const described = parameterDescription(words, operation, { name, place });
  return { ...described, name, in: place, ...required, type: parameterType(name), uniqueItems: true };
}
