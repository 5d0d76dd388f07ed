import type { Kind, MetaTypes, Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Definitions, kindsOfTypes } from './definitions.ts';
import { answeredBy, takenBy } from './open-api-v3.ts';
import { type Codec, codesOf, consumed, produced, UNAUTHORIZED } from './operation-media.ts';
import { type Operation, operationsOf } from './operations.ts';
import { parameterType, pathParameters } from './query-parameters.ts';
import { version } from './version.ts';

/** Everything that is served in one document, in version 2 of OpenAPI, for older clients. */
export async function openApiV2(registry: Registry, kinds: readonly Kind[], codec: Codec): Promise<JsonObject> {
  const { meta } = registry;
  const definitions = new Definitions(2, kindsOfTypes(registry));
  definitions.other(meta.listMeta);
  const paths: Record<string, JsonObject> = {};
  for (const operation of kinds.flatMap(operationsOf)) {
    const { path, method } = operation;
    paths[path] ??= pathItem(path);
    (paths[path] as JsonObject)[method] = operationObject(operation, definitions, { meta, codec });
  }
  const info = { title: 'Tidegate', version: `v${version.major}.${version.minor}.0` };
  return { swagger: '2.0', info, paths, definitions: await definitions.all() };
}

function pathItem(path: string): JsonObject {
  const names = pathParameters(path);
  return names.length === 0 ? {} : { parameters: names.map((name) => parameter(name, 'path')) };
}

function operationObject(
  operation: Operation,
  definitions: Definitions,
  { meta, codec }: { meta: MetaTypes; codec: Codec },
): JsonObject {
  const { id, tag, description, takes, query, action, of } = operation;
  const taken = takenBy(operation, definitions, meta);
  const body = { name: 'body', in: 'body', ...(takes === 'options' ? {} : { required: true }) };
  const parameters = [
    ...(taken === undefined ? [] : [{ ...body, schema: taken }]),
    ...query.map((name) => parameter(name, 'query')),
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
      ...Object.fromEntries(codesOf(operation).map(([code, words]) => [code, { description: words, schema }])),
      ...UNAUTHORIZED,
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...of },
  };
}

function parameter(name: string, place: 'path' | 'query'): JsonObject {
  const required = place === 'path' ? { required: true } : {};
  return { name, in: place, ...required, type: parameterType(name), uniqueItems: true };
}
