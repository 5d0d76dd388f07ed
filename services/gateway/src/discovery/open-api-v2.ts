import type { Kind, MetaTypes, Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Definitions, kindsOfTypes } from './definitions.ts';
import { answeredBy, takenBy } from './open-api-v3.ts';
import { type Operation, operationsOf, parameterType, pathParameters } from './operations.ts';
import { version } from './version.ts';

/** Everything that is served in one document, in version 2 of OpenAPI, for older clients. */
export async function openApiV2(registry: Registry, kinds: readonly Kind[]): Promise<JsonObject> {
  const { meta } = registry;
  const definitions = new Definitions(2, kindsOfTypes(registry));
  definitions.other(meta.listMeta);
  const paths: Record<string, JsonObject> = {};
  for (const operation of kinds.flatMap(operationsOf)) {
    const { path, method } = operation;
    paths[path] ??= { parameters: pathParameters(path).map((name) => parameter(name, 'path')) };
    (paths[path] as JsonObject)[method] = operationObject(operation, definitions, meta);
  }
  const info = { title: 'Tidegate', version: `v${version.major}.${version.minor}.0` };
  return { swagger: '2.0', info, paths, definitions: await definitions.all() };
}

function operationObject(operation: Operation, definitions: Definitions, meta: MetaTypes): JsonObject {
  const taken = takenBy(operation, definitions, meta);
  const body = { name: 'body', in: 'body', required: operation.takes !== 'options' };
  return {
    operationId: operation.id,
    consumes: ['*/*'],
    produces: [operation.answers === 'text' ? '*/*' : 'application/json'],
    parameters: [
      ...(taken === undefined ? [] : [{ ...body, schema: taken }]),
      ...operation.query.map((name) => parameter(name, 'query')),
    ],
    responses: { 200: { description: 'OK', schema: answeredBy(operation, definitions, meta) } },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { ...operation.of },
  };
}

function parameter(name: string, place: 'path' | 'query'): JsonObject {
  const required = place === 'path' ? { required: true } : {};
  return { name, in: place, ...required, type: parameterType(name), uniqueItems: true };
}
