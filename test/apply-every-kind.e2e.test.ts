import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { encodeCbor, type JsonObject } from '@tidegate/schema';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { type Manifest, manifests } from './support/manifests.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const YAML = { 'Content-Type': 'application/apply-patch+yaml' };
function named({ object: { apiVersion, kind } }: Manifest): string {
  return `${kind} of ${apiVersion}`;
}

/** An object without what an apply may change of it. */
function contentOf({ metadata: { managedFields: _, resourceVersion: __, ...metadata }, ...object }: Reply['json']) {
  return { ...object, metadata };
}

describe('Every kind can be applied', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(CBOR);
    client = system.client;
    assert.equal(
      (await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'corpus' } } })).code,
      201,
    );
    await client.ask('POST', '/api/v1/namespaces/corpus/serviceaccounts', { body: { metadata: { name: 'default' } } });
  });
  after(() => system?.stop());

  const all = manifests();
  test('there are manifests of all of them', () => assert.ok(all.length >= 50, String(all.length)));

  const apply = ({ url, object }: Manifest, query: string) =>
    client.ask('PATCH', `${url}?${query}`, { body: object, headers: YAML });

  test('an item without the key that tells it apart is refused, with its list', async () => {
    const secrets = [{ name: null, namespace: 'corpus' }];
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'keyless' }, secrets };
    const url = '/api/v1/namespaces/corpus/serviceaccounts/keyless';
    const { code, json } = await client.ask('PATCH', `${url}?fieldManager=one`, { body: object, headers: YAML });
    assert.deepEqual([code, json.reason], [400, 'BadRequest']);
    assert.match(String(json.message), /failed to create typed patch object .*omits all key fields \["name"\]/);
  });

  describe('the first time', () => {
    for (const manifest of all) {
      test(`${named(manifest)} is made`, async () => {
        const made = await apply(manifest, 'fieldManager=one');
        assert.equal(made.code, 201, made.text);
      });
    }
  });

  describe('again, and by somebody else', () => {
    // the time of an owner, which is kept in whole seconds, is no change of its own
    before(() => setTimeout(1000));
    for (const manifest of all) {
      test(`${named(manifest)} is left as it is, and taken over`, async () => {
        // as it is by now: a definition, say, has been accepted meanwhile
        const made = await client.ask('GET', manifest.url);
        const again = await apply(manifest, 'fieldManager=one');
        assert.equal(again.code, 200, again.text);
        // who applies a name and nothing more owns nothing, so that nobody is known yet
        if (made.json.metadata.managedFields !== undefined) assert.deepEqual(again.json, made.json);
        // lists that are owned as one are compared as they are applied, without their defaults
        const taken = await apply(manifest, 'fieldManager=two&force=true');
        assert.equal(taken.code, 200, taken.text);
        assert.deepEqual(contentOf(taken.json), contentOf(made.json));
        const { managedFields = [] } = taken.json.metadata;
        const owns = managedFields.some((owner: { manager: string }) => owner.manager === 'two');
        assert.equal(owns, made.json.metadata.managedFields !== undefined);
      });
    }
  });

  test('an applied configuration may come as CBOR', async () => {
    const body = encodeCbor(configMap('binary', { a: '1' }) as unknown as JsonObject);
    const made = await client.ask('PATCH', `${MAPS}/binary?fieldManager=one`, {
      body,
      headers: { 'Content-Type': 'application/apply-patch+cbor' },
    });
    assert.equal(made.code, 201, made.text);
    assert.deepEqual(made.json.metadata.managedFields[0].fieldsV1, { 'f:data': { 'f:a': {} } });
  });

  test('of unknown fields the client hears as it asks to', async () => {
    const body = { ...(configMap('odd', { a: '1' }) as object), odd: 1 };
    const apply = (level: string) =>
      client.ask('PATCH', `${MAPS}/odd?fieldManager=one&fieldValidation=${level}`, { body, headers: YAML });
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

  test('of unknown fields in a subresource, too', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { app: 'odd' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await client.ask('POST', path, { body: { metadata: { name: 'odd' }, spec } });
    const wishes = {
      status: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'odd' }, status: { replicas: 1, odd: 1 } },
      scale: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'odd' }, spec: { replicas: 1, odd: 1 } },
    };
    for (const [subresource, body] of Object.entries(wishes)) {
      const field = `${subresource === 'status' ? 'status' : 'spec'}.odd`;
      const apply = (level: string) =>
        client.ask('PATCH', `${path}/odd/${subresource}?fieldManager=one&force=true&fieldValidation=${level}`, {
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
