import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encodeCbor, type JsonObject } from '@tidegate/schema';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { type Manifest, manifests } from './support/manifests.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const YAML = { 'Content-Type': 'application/apply-patch+yaml' };
function named({ object: { apiVersion, kind } }: Manifest): string {
  return `${kind} of ${apiVersion}`;
}

/** An object without the fields that every apply may change. */
function contentOf({ metadata: { managedFields: _, resourceVersion: __, ...metadata }, ...object }: Reply['json']) {
  return { ...object, metadata };
}

describe('Server-side apply of every kind', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(CBOR);
    client = system.client;
    assert.equal(
      (await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'corpus' } } })).code,
      201,
    );
    await client.request('POST', '/api/v1/namespaces/corpus/serviceaccounts', {
      body: { metadata: { name: 'default' } },
    });
  });
  after(() => system?.stop());

  const all = manifests();
  test('There are manifests of at least 50 kinds.', () => assert.ok(all.length >= 50, String(all.length)));

  const apply = ({ url, object }: Manifest, query: string) =>
    client.request('PATCH', `${url}?${query}`, { body: object, headers: YAML });

  test('A list item without its key fields is rejected with 400.', async () => {
    const secrets = [{ name: null, namespace: 'corpus' }];
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'keyless' }, secrets };
    const url = '/api/v1/namespaces/corpus/serviceaccounts/keyless';
    const { code, json } = await client.request('PATCH', `${url}?fieldManager=one`, { body: object, headers: YAML });
    assert.deepEqual([code, json.reason], [400, 'BadRequest']);
    assert.match(String(json.message), /failed to create typed patch object .*omits all key fields \["name"\]/);
  });

  describe('The first apply', () => {
    for (const manifest of all) {
      test(`The first apply creates ${named(manifest)}.`, async () => {
        const made = await apply(manifest, 'fieldManager=one');
        assert.equal(made.code, 201, made.text);
      });
    }
  });

  describe('Further applies', () => {
    // the time of an owner has a resolution of one second
    const second = () => Math.floor(Date.now() / 1000);
    before(async () => {
      const last = second();
      await until('the next second', () => second() > last);
    });
    for (const manifest of all) {
      test(`Applying ${named(manifest)} again changes nothing, and another manager can take over its fields.`, async () => {
        // read again, because controllers may have changed the status meanwhile
        const made = await client.request('GET', manifest.url);
        const again = await apply(manifest, 'fieldManager=one');
        assert.equal(again.code, 200, again.text);
        // an apply that sets only the name owns no fields
        if (made.json.metadata.managedFields !== undefined) assert.deepEqual(again.json, made.json);
        // forced, because atomic lists are compared without their defaults and conflict
        const taken = await apply(manifest, 'fieldManager=two&force=true');
        assert.equal(taken.code, 200, taken.text);
        assert.deepEqual(contentOf(taken.json), contentOf(made.json));
        const { managedFields = [] } = taken.json.metadata;
        const owns = managedFields.some((owner: { manager: string }) => owner.manager === 'two');
        assert.equal(owns, made.json.metadata.managedFields !== undefined);
      });
    }
  });

  test('Applied configurations are accepted in CBOR.', async () => {
    const body = encodeCbor(configMap('binary', { a: '1' }) as unknown as JsonObject);
    const made = await client.request('PATCH', `${MAPS}/binary?fieldManager=one`, {
      body,
      headers: { 'Content-Type': 'application/apply-patch+cbor' },
    });
    assert.equal(made.code, 201, made.text);
    assert.deepEqual(made.json.metadata.managedFields[0].fieldsV1, { 'f:data': { 'f:a': {} } });
  });

  test('Unknown fields are handled as fieldValidation requires.', async () => {
    const body = { ...(configMap('odd', { a: '1' }) as object), odd: 1 };
    const apply = (level: string) =>
      client.request('PATCH', `${MAPS}/odd?fieldManager=one&fieldValidation=${level}`, { body, headers: YAML });
    const strict = await apply('Strict');
    assert.deepEqual(
      [strict.code, strict.json.message],
      [400, 'strict decoding error: unknown field "odd" (.odd: field not declared in schema)'],
    );
    const warned = await apply('Warn');
    assert.deepEqual([warned.code, warned.headers.warning], [201, '299 - "unknown field \\"odd\\""']);
    const ignored = await apply('Ignore');
    assert.deepEqual([ignored.code, ignored.headers.warning], [200, undefined]);
  });

  test('Unknown fields in subresources are handled as fieldValidation requires.', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { app: 'odd' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await client.request('POST', path, { body: { metadata: { name: 'odd' }, spec } });
    const wishes = {
      status: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'odd' }, status: { replicas: 1, odd: 1 } },
      scale: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'odd' }, spec: { replicas: 1, odd: 1 } },
    };
    for (const [subresource, body] of Object.entries(wishes)) {
      const field = `${subresource === 'status' ? 'status' : 'spec'}.odd`;
      const apply = (level: string) =>
        client.request('PATCH', `${path}/odd/${subresource}?fieldManager=one&force=true&fieldValidation=${level}`, {
          body,
          headers: YAML,
        });
      const strict = await apply('Strict');
      assert.deepEqual(
        [strict.code, strict.json.message],
        [400, `strict decoding error: unknown field "${field}" (.${field}: field not declared in schema)`],
      );
      const warned = await apply('Warn');
      assert.deepEqual([warned.code, warned.headers.warning], [200, `299 - "unknown field \\"${field}\\""`]);
      const ignored = await apply('Ignore');
      assert.deepEqual([ignored.code, ignored.headers.warning], [200, undefined]);
    }
  });
});
