import { createHash } from 'node:crypto';
import type { Kind, Registry } from '@tidegate/kinds';
import { type JsonObject, openApiSchema } from '@tidegate/schema';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** /openapi/v3: where the document of each group version is, by the hash of its content. */
export function openApiIndex(registry: Registry): JsonObject {
  const paths: JsonObject = {};
  for (const place of places(registry)) {
    const hash = createHash('sha256')
      .update(JSON.stringify(openApiDocument(registry, place)))
      .digest('hex')
      .toUpperCase();
    paths[place] = { serverRelativeURL: `/openapi/v3/${place}?hash=${hash}` };
  }
  return { paths };
}

/** `api/v1`, `apis/apps/v1`, … */
function places(registry: Registry): string[] {
  return [...new Set(registry.all().map(placeOf))];
}

function placeOf({ entry }: Kind): string {
  return entry.group === '' ? `api/${entry.version}` : `apis/${entry.group}/${entry.version}`;
}

/** The document of one group version; undefined when nothing is served there. */
export function openApiDocument(registry: Registry, place: string): JsonObject | undefined {
  const kinds = registry.all().filter((kind) => placeOf(kind) === place);
  if (kinds.length === 0) return undefined;
  const schemas: JsonObject = {};
  const paths: JsonObject = {};
  for (const kind of kinds) {
    schemas[schemaName(kind)] = kindSchema(kind);
    Object.assign(paths, pathsOf(kind, place));
  }
  return { openapi: '3.0.0', info: { title: 'Tidegate', version: 'v1.35.0' }, paths, components: { schemas } };
}

function schemaName({ entry }: Kind): string {
  return `io.k8s.api.${entry.group === '' ? 'core' : entry.group}.${entry.version}.${entry.kind}`;
}

function groupVersionKind({ entry }: Kind): JsonObject {
  return { group: entry.group, version: entry.version, kind: entry.kind };
}

function kindSchema(kind: Kind): JsonObject {
  const schema = openApiSchema(kind.schema, { version: 3 });
  (schema.properties as JsonObject).metadata = { allOf: [{ $ref: `#/components/schemas/${META}` }], default: {} };
  return { ...schema, 'x-kubernetes-group-version-kind': [groupVersionKind(kind)] };
}

const text = { type: 'string', uniqueItems: true };
const query = (name: string) => ({ name, in: 'query', schema: text });

function pathsOf(kind: Kind, place: string): JsonObject {
  const { resource, namespaced } = kind.entry;
  const collection = `/${place}/${namespaced ? 'namespaces/{namespace}/' : ''}${resource}`;
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(kind)}` } } };
  const operation = (action: string, parameters: JsonObject[] = []): JsonObject => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind(kind),
    parameters,
    responses: { 200: { description: 'OK', content } },
  });
  const writing = [query('dryRun'), query('fieldManager'), query('fieldValidation')];
  return {
    [collection]: { get: operation('list'), post: operation('post', writing), delete: operation('deletecollection') },
    [`${collection}/{name}`]: {
      get: operation('get'),
      put: operation('put', writing),
      patch: operation('patch', [...writing, query('force')]),
      delete: operation('delete', [query('dryRun')]),
    },
  };
}
