import type { Kind, MetaTypes, Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Definitions, kindsOfTypes } from './definitions.ts';
import { type Operation, operationsOf, parameterType, pathParameters } from './operations.ts';
import { version } from './version.ts';

const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** The document of one group version, in version 3 of OpenAPI. */
export async function openApiV3(registry: Registry, kinds: readonly Kind[]): Promise<JsonObject> {
  const { meta } = registry;
  const definitions = new Definitions(3, kindsOfTypes(registry));
  definitions.other(meta.listMeta);
  const paths: Record<string, JsonObject> = {};
  for (const operation of kinds.flatMap(operationsOf)) {
    const { path, method } = operation;
    paths[path] ??= { parameters: pathParameters(path).map(pathParameter) };
    (paths[path] as JsonObject)[method] = operationObject(operation, definitions, meta);
  }
  const info = { title: 'Tidegate', version: `v${version.major}.${version.minor}.0` };
  return { openapi: '3.0.0', info, paths, components: { schemas: await definitions.all() } };
}

function operationObject(operation: Operation, definitions: Definitions, meta: MetaTypes): JsonObject {
  const { id, action, of, query } = operation;
  const content = (types: readonly string[], schema: JsonObject) =>
    Object.fromEntries(types.map((type) => [type, { schema }]));
  const taken = takenBy(operation, definitions, meta);
  const answered = answeredBy(operation, definitions, meta);
  const type = operation.answers === 'text' ? '*/*' : 'application/json';
  return {
    operationId: id,
    parameters: query.map(queryParameter),
    ...(taken === undefined
      ? {}
      : { requestBody: { content: content(operation.takes === 'patch' ? PATCHES : ['*/*'], taken) } }),
    responses: { 200: { description: 'OK', content: content([type], answered) } },
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
      return { type: 'object' };
  }
}

/** The type of an answer's body. */
export function answeredBy({ answers, entry }: Operation, definitions: Definitions, meta: MetaTypes): JsonObject {
  switch (answers) {
    case 'text':
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
