import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFeatureGates } from '@tidegate/feature-gates';
import { builtInRegistry, kindsOf, readDefinition } from '@tidegate/kinds';
import { decodeCbor, decodeProtobuf, decodeYaml, type Json, type JsonObject, type Schema } from '@tidegate/schema';
import { Negotiator } from '../codec/negotiate.ts';
import { Discovery } from './discovery.ts';
import { discoverySchema } from './discovery-schemas.ts';
import { Document } from './document.ts';
import type { Codec } from './operation.ts';
import type { ServedElsewhere } from './served-groups.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const registry = builtInRegistry();
const codecOf = (features: string): Codec => {
  const gates = readFeatureGates(features);
  return { gates, negotiator: new Negotiator(gates) };
};
const codec = codecOf('');
const discovery = new Discovery(registry, codec);

async function read(path: string, accept?: string): Promise<JsonObject> {
  const document = await discovery.document(path, accept);
  assert.ok(document, path);
  return JSON.parse(document.body.toString('utf8'));
}

test('groups are in the order of Kubernetes, and version 2 of autoscaling is preferred', async () => {
  const groups = (await read('/apis')).groups as JsonObject[];
  assert.deepEqual(
    groups.slice(0, 3).map(({ name }) => name),
    ['apiregistration.k8s.io', 'apps', 'events.k8s.io'],
  );
  const autoscaling = groups.find(({ name }) => name === 'autoscaling');
  assert.deepEqual(autoscaling?.preferredVersion, { groupVersion: 'autoscaling/v2', version: 'v2' });
});

test('a group version lists its resources with their names, verbs and subresources', async () => {
  const resources = (await read('/apis/apps/v1')).resources as JsonObject[];
  const found = (name: string) => resources.find((resource) => resource.name === name);
  assert.deepEqual(found('deployments')?.shortNames, ['deploy']);
  assert.deepEqual(found('deployments')?.categories, ['all']);
  const { group, version, kind, verbs } = found('deployments/scale') as JsonObject;
  assert.deepEqual([group, version, kind, verbs], ['autoscaling', 'v1', 'Scale', ['get', 'patch', 'update']]);
});

test('scalars have the names of Kubernetes, which kubectl explain shows', async () => {
  const schemas = ((await read('/openapi/v3/api/v1')).components as JsonObject).schemas as Record<string, JsonObject>;
  const field = (type: string, name: string) =>
    ((schemas[type] as JsonObject).properties as JsonObject)[name] as JsonObject;
  const at = (name: string) => ({ $ref: `#/components/schemas/io.k8s.apimachinery.pkg.${name}` });
  const limits = field('io.k8s.api.core.v1.ResourceRequirements', 'limits');
  assert.deepEqual(limits.additionalProperties, at('api.resource.Quantity'));
  assert.deepEqual(field('io.k8s.api.core.v1.ServicePort', 'targetPort').allOf, [at('util.intstr.IntOrString')]);
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
  assert.deepEqual(field(`${meta}.ManagedFieldsEntry`, 'fieldsV1').allOf, [at('apis.meta.v1.FieldsV1')]);
  const { description, ...shape } = schemas['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] as JsonObject;
  assert.match(String(description), /^IntOrString is a type that can hold an int32 or a string/);
  assert.deepEqual(shape, { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] });
});

test('a resource has the hash of its storage version, as in kube-apiserver', async () => {
  const hash = async (path: string, name: string) => {
    const resources = (await read(path)).resources as JsonObject[];
    return resources.find((resource) => resource.name === name)?.storageVersionHash;
  };
  assert.equal(await hash('/api/v1', 'configmaps'), 'qFsyl6wFWjQ=');
  assert.equal(await hash('/apis/autoscaling/v1', 'horizontalpodautoscalers'), 'qwQve8ut294=');
  assert.equal(await hash('/apis/autoscaling/v2', 'horizontalpodautoscalers'), 'qwQve8ut294=');
  assert.equal(await hash('/apis/events.k8s.io/v1', 'events'), await hash('/api/v1', 'events'));
  assert.equal(await hash('/api/v1', 'pods/status'), undefined);
});

test('proxied subresources are listed with the kinds of their options', async () => {
  const resources = (await read('/api/v1')).resources as JsonObject[];
  const told = resources
    .filter(({ name }) => /\/(attach|exec|log|portforward|proxy)$/.test(String(name)))
    .map(({ name, kind, group = '', verbs }) => [name, kind, group, (verbs as string[]).join()]);
  const all = 'create,delete,get,patch,update';
  assert.deepEqual(told.sort(), [
    ['nodes/proxy', 'NodeProxyOptions', '', all],
    ['pods/attach', 'PodAttachOptions', '', 'create,get'],
    ['pods/exec', 'PodExecOptions', '', 'create,get'],
    ['pods/log', 'Pod', '', 'get'],
    ['pods/portforward', 'PodPortForwardOptions', '', 'create,get'],
    ['pods/proxy', 'PodProxyOptions', '', all],
    ['services/proxy', 'ServiceProxyOptions', '', all],
  ]);
  const paths = (await read('/openapi/v3/api/v1')).paths as Record<string, Record<string, JsonObject>>;
  const exec = paths['/api/v1/namespaces/{namespace}/pods/{name}/exec'];
  assert.equal(exec?.post?.operationId, 'connectCoreV1PostNamespacedPodExec');
  const below = paths['/api/v1/nodes/{name}/proxy/{path}'];
  assert.equal(below?.options?.operationId, 'connectCoreV1OptionsNodeProxyWithPath');
});

test('aggregated discovery has the same content in one document', async () => {
  const core = (await read('/api', AGGREGATED)).items as JsonObject[];
  const named = (await read('/apis', AGGREGATED)).items as JsonObject[];
  assert.equal(core.length, 1);
  assert.equal(named.length, ((await read('/apis')).groups as Json[]).length);
});

test('a document keeps its hash until the kinds change', async () => {
  const one = builtInRegistry();
  const documents = new Discovery(one, codec);
  const before = await documents.document('/apis/apps/v1', undefined);
  assert.equal(await documents.document('/apis/apps/v1/', undefined), before);
  const entry = registry.find('apps', 'v1', 'deployments')?.entry;
  assert.ok(entry);
  one.add({ ...entry, resource: 'others', kind: 'Other' });
  const after = await documents.document('/apis/apps/v1', undefined);
  assert.notEqual(after?.hash, before?.hash);
});

test('the index of OpenAPI names each document by the hash of its content', async () => {
  const paths = (await read('/openapi/v3')).paths as Record<string, { serverRelativeURL: string }>;
  assert.equal(Object.keys(paths).length, new Set(registry.all().map(({ apiVersion }) => apiVersion)).size);
  for (const [place, { serverRelativeURL }] of Object.entries(paths)) {
    const document = await discovery.document(`/openapi/v3/${place}`, undefined);
    assert.equal(serverRelativeURL, `/openapi/v3/${place}?hash=${document?.hash}`);
  }
});

test('every reference of an OpenAPI document resolves, and every operation id is unique', async () => {
  const places = Object.keys((await read('/openapi/v3')).paths as JsonObject).map((place) => `/openapi/v3/${place}`);
  for (const path of [...places, '/openapi/v2']) {
    const document = await read(path);
    const types = (document.definitions ?? (document.components as JsonObject).schemas) as JsonObject;
    const text = JSON.stringify(document);
    for (const [, name = ''] of text.matchAll(/"\$ref":"#\/(?:definitions|components\/schemas)\/([^"]+)"/g)) {
      assert.ok(Object.hasOwn(types, name), `${path}: ${name}`);
    }
    const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map((match) => match[1]);
    assert.equal(new Set(ids).size, ids.length, path);
  }
});

test('operations have the ids from which clients are generated', async () => {
  const ids = JSON.stringify(await read('/openapi/v3/api/v1'));
  for (const id of [
    'deleteCoreV1CollectionNamespacedPod',
    'listCoreV1PodForAllNamespaces',
    'readCoreV1NamespacedPodStatus',
  ])
    assert.ok(ids.includes(`"${id}"`), id);
});

test('OpenAPI has the selectable fields of custom kinds, and the names of groups with a dash', async () => {
  const one = builtInRegistry();
  const scale = one.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
  assert.ok(scale !== undefined);
  const names = { plural: 'parts', singular: 'part', kind: 'Part', listKind: 'PartList' };
  const schema = { openAPIV3Schema: { type: 'object', properties: { color: { type: 'string' } } } };
  const definition = {
    metadata: { name: 'parts.spare-parts.example.com' },
    spec: {
      group: 'spare-parts.example.com',
      scope: 'Cluster',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema, selectableFields: [{ jsonPath: '.color' }] }],
    },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }] },
  };
  one.setCustom(kindsOf(readDefinition(definition as JsonObject), scale));
  const documents = new Discovery(one, codec);
  const document = await documents.document('/openapi/v3/apis/spare-parts.example.com/v1', undefined);
  const { paths, components } = JSON.parse(String(document?.body));
  assert.equal(paths['/apis/spare-parts.example.com/v1/parts'].get.operationId, 'listSparePartsExampleComV1Part');
  for (const type of ['com.example.spare-parts.v1.Part', 'com.example.spare-parts.v1.PartList']) {
    assert.deepEqual(components.schemas[type]['x-kubernetes-selectable-fields'], [{ fieldPath: 'color' }]);
  }
});

test('OpenAPI has the merge keys of lists, and the kinds of types', async () => {
  const document = await read('/openapi/v3/apis/apps/v1');
  const { schemas } = document.components as { schemas: Record<string, JsonObject> };
  const { properties = {} } = schemas['io.k8s.api.core.v1.PodSpec'] ?? {};
  const containers = (properties as JsonObject).containers as JsonObject;
  assert.equal(containers['x-kubernetes-patch-merge-key'], 'name');
  assert.equal(containers['x-kubernetes-list-type'], 'map');
  assert.deepEqual(schemas['io.k8s.api.apps.v1.Deployment']?.['x-kubernetes-group-version-kind'], [
    { group: 'apps', kind: 'Deployment', version: 'v1' },
  ]);
});

test('OpenAPI describes the common fields of objects', async () => {
  const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  for (const path of ['/openapi/v2', '/openapi/v3/apis/apps/v1']) {
    const document = await read(path);
    const types = (document.definitions ?? (document.components as JsonObject).schemas) as Record<string, JsonObject>;
    const fieldsOf = (name: string) => (types[name]?.properties ?? {}) as Record<string, JsonObject>;
    for (const name of [META, 'io.k8s.api.apps.v1.Deployment']) {
      const said = Object.entries(fieldsOf(name)).filter(([field]) => !['spec', 'status'].includes(field));
      for (const [field, { description }] of said)
        assert.equal(typeof description, 'string', `${path} ${name} ${field}`);
    }
    assert.match(JSON.stringify(fieldsOf('io.k8s.api.apps.v1.Deployment').metadata), new RegExp(META), path);
  }
});

test('OpenAPI v3 is served as Protobuf, too, with every path and type', async () => {
  const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
  const path = '/openapi/v3/apis/apps/v1';
  const document = await discovery.document(path, accept);
  assert.equal(document?.contentType, 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf');
  const { paths, components } = await read(path);
  const fields = fieldsOf(document?.body ?? Buffer.alloc(0));
  const names = (content: Buffer | undefined) =>
    fieldsOf(content ?? Buffer.alloc(0)).map(([, entry]) => fieldsOf(entry)[0]?.[1].toString('utf8'));
  const at = (number: number) => fields.find(([found]) => found === number)?.[1];
  assert.equal(at(1)?.toString('utf8'), '3.0.0');
  assert.deepEqual(names(at(4)), Object.keys(paths as JsonObject));
  const [[, schemas] = []] = fieldsOf(at(5) ?? Buffer.alloc(0));
  assert.deepEqual(names(schemas), Object.keys((components as JsonObject).schemas as JsonObject));
  assert.equal(await discovery.document('/openapi/v3/apis/none/v1', accept), undefined);
});

/** The fields of a message in which all are texts or messages. */
function fieldsOf(message: Buffer): Array<[number: number, content: Buffer]> {
  const fields: Array<[number, Buffer]> = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 0x80) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const number = next() >> 3;
    const length = next();
    fields.push([number, message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

test('OpenAPI v2 is served as Protobuf, too; other media types get 406', async () => {
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const document = await discovery.document('/openapi/v2', accept);
  assert.equal(document?.contentType, 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  assert.deepEqual(document?.body.subarray(0, 5), Buffer.from('\x0a\x032.0'));
  await assert.rejects(discovery.document('/openapi/v2', 'text/html'), { code: 406 });
});

/** One group version of another server, which may change what it says. */
class Elsewhere implements ServedElsewhere {
  revision = 1;
  entry: JsonObject = { version: 'v1', freshness: 'Stale' };
  document: Document | undefined;

  get versions() {
    const openApi = { document: this.document, protobuf: undefined };
    return [{ group: 'fruit.io', version: 'v1', entry: this.entry, openApi }];
  }

  priority() {
    return undefined;
  }
}

test('remote group versions are included, and only changed documents are rebuilt', async () => {
  const elsewhere = new Elsewhere();
  const all = new Discovery(registry, codec, elsewhere);
  const [own, before] = [await all.document('/openapi/v3/api/v1', undefined), await all.document('/apis', AGGREGATED)];
  assert.match(String(before?.body), /"fruit.io".*"freshness":"Stale"/);
  elsewhere.entry = { version: 'v1', resources: [], freshness: 'Current' };
  assert.equal(await all.document('/apis', AGGREGATED), before);
  elsewhere.revision++;
  const after = await all.document('/apis', AGGREGATED);
  assert.notEqual(after?.hash, before?.hash);
  elsewhere.revision++;
  assert.equal((await all.document('/apis', AGGREGATED))?.hash, after?.hash);
  assert.equal(await all.document('/openapi/v3/api/v1', undefined), own);
  assert.match(String((await all.document('/apis/fruit.io', undefined))?.body), /"groupVersion":"fruit.io\/v1"/);
});

test('the document of a remote server is served unchanged', async () => {
  const elsewhere = new Elsewhere();
  const all = new Discovery(registry, codec, elsewhere);
  const place = 'apis/fruit.io/v1';
  const paths = async () => JSON.parse(String((await all.document('/openapi/v3', undefined))?.body)).paths;
  assert.equal((await paths())[place], undefined);
  assert.equal(await all.document(`/openapi/v3/${place}`, undefined), undefined);
  elsewhere.document = new Document('application/json', { openapi: '3.0.0' });
  elsewhere.revision++;
  assert.match((await paths())[place].serverRelativeURL, new RegExp(`hash=${elsewhere.document.hash}$`));
  assert.equal(await all.document(`/openapi/v3/${place}`, undefined), elsewhere.document);
  await assert.rejects(all.document(`/openapi/v3/${place}`, 'text/html'), { code: 406 });
});

test('other paths have no document', async () => {
  for (const path of [
    '/nowhere',
    '/api/v2',
    '/apis/none',
    '/apis/apps/v2',
    '/openapi/v3/apis/apps/v2',
    '/apis/apps/v1/x',
  ]) {
    assert.equal(await discovery.document(path, undefined), undefined, path);
  }
});

test('every discovery document is served in every encoding', async () => {
  const all = new Discovery(registry, codecOf('CBORServingAndStorage=true'));
  const ask = async (path: string, accept: string) => {
    const document = await all.document(path, accept);
    assert.equal(document?.contentType, accept);
    return document?.body as Buffer;
  };
  for (const path of ['/api', '/apis', '/apis/apps', '/api/v1', '/apis/autoscaling/v2']) {
    for (const form of path.length < 6 ? ['', ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'] : ['']) {
      const json = JSON.parse((await ask(path, `application/json${form}`)).toString()) as JsonObject;
      assert.deepEqual(decodeYaml(await ask(path, `application/yaml${form}`)).value, json);
      assert.deepEqual(decodeCbor(await ask(path, `application/cbor${form}`)), json);
      for (const name of ['cluster', 'kubernetes']) {
        const bytes = await ask(path, `application/vnd.${name}.protobuf${form}`);
        const schema = discoverySchema(String(json.kind)) as Schema & { type: 'object' };
        assert.deepEqual(decodeProtobuf(schema, bytes), withoutZeros(json), path);
      }
    }
  }
  await assert.rejects(all.document('/apis', 'text/html'), { code: 406 });
  await assert.rejects(all.document('/apis/apps/v1', AGGREGATED), { code: 406 });
});

/** As Protobuf has it: what is empty is not there. */
function withoutZeros<T extends Json | undefined>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutZeros) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([, field]) => field !== '' && field !== false && field !== null && !(Array.isArray(field) && field.length === 0),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutZeros(field)])) as T;
}
