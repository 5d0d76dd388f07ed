import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AttackTarget } from './attack-target.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const SAFE = '/api/v1/namespaces/kube-system/secrets/safe';

describe('Keys with a meaning in JavaScript', () => {
  let target: AttackTarget;
  before(async () => {
    target = await AttackTarget.open();
    await target.make(MAPS, { metadata: { name: 'there' } });
  });
  after(() => target?.close());

  /** Objects have no unexpected fields, and mallory has no more permissions than before. */
  const assertUnchanged = async () => {
    const made = await target.client.request('POST', `${MAPS}?dryRun=All`, { body: { metadata: { name: 'plain' } } });
    assert.equal(made.code, 201, made.text);
    assert.deepEqual(Object.keys(made.json).sort(), ['apiVersion', 'kind', 'metadata']);
    assert.equal(made.text.includes('polluted'), false);
    assert.equal((await target.request('GET', SAFE)).code, 403);
  };

  const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

  test('They are ordinary keys of data, in each encoding and with each kind of patch.', async () => {
    const data = Object.fromEntries(keys.map((key) => [key, 'polluted']));
    const json = `{"metadata":{"name":"keys"},"data":{${keys.map((key) => `"${key}":"polluted"`).join()}}}`;
    assert.equal((await target.client.request('POST', MAPS, { body: json })).code, 201);
    const yaml = `metadata: {name: keys-yaml}\ndata:\n${keys.map((key) => `  ${key}: polluted\n`).join('')}`;
    const headers = { 'Content-Type': 'application/yaml' };
    assert.equal((await target.client.request('POST', MAPS, { body: yaml, headers })).code, 201);
    const patches: ReadonlyArray<[type: string, body: string]> = [
      ['merge-patch+json', `{"data":{${keys.map((key) => `"${key}":"polluted"`).join()}}}`],
      ['strategic-merge-patch+json', `{"data":{${keys.map((key) => `"${key}":"polluted"`).join()}}}`],
    ];
    for (const [i, [type, body]] of patches.entries()) {
      await target.make(MAPS, { metadata: { name: `patched-${i}` } });
      const patched = await target.client.request('PATCH', `${MAPS}/patched-${i}`, {
        body,
        headers: { 'Content-Type': `application/${type}` },
      });
      assert.equal(patched.code, 200, `${type} ${patched.text}`);
    }
    const applied = await target.client.request('PATCH', `${MAPS}/applied?fieldManager=a`, {
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n${keys.map((key) => `  ${key}: polluted\n`).join('')}`,
      headers: { 'Content-Type': 'application/apply-patch+yaml' },
    });
    assert.equal(applied.code, 201, applied.text);
    for (const name of ['keys', 'keys-yaml', 'patched-0', 'patched-1', 'applied']) {
      const { text } = await target.client.get(`${MAPS}/${name}`);
      // the text is compared, because JSON.parse handles __proto__ differently
      for (const key of Object.keys(data)) assert.ok(text.includes(`"${key}":"polluted"`), `${name} ${key} ${text}`);
    }
    await assertUnchanged();
  });

  test('A JSON patch sets them as own properties, or is rejected with a hint to use a merge patch.', async () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const { code, json } = await target.client.request('PATCH', `${MAPS}/there`, {
        body: [
          { op: 'add', path: '/data', value: {} },
          { op: 'add', path: `/data/${key}`, value: 'polluted' },
        ],
        headers: { 'Content-Type': 'application/json-patch+json' },
      });
      if (code === 200) assert.equal(Object.hasOwn(json.data, key) && json.data[key], 'polluted');
      else assert.match(json.message, /use a merge patch for such keys/);
    }
    await target.client.request('PATCH', `${MAPS}/there`, { body: { data: null }, headers: MERGE });
    await assertUnchanged();
  });

  test('They are not fields of an object, at any level.', async () => {
    const bodies = [
      '{"__proto__":{"polluted":true},"metadata":{"name":"a"}}',
      '{"constructor":{"prototype":{"polluted":true}},"metadata":{"name":"b"}}',
      '{"metadata":{"name":"c","__proto__":{"groups":["system:masters"]}}}',
      '{"metadata":{"name":"d","labels":{"__proto__":"polluted"},"annotations":{"__proto__":"x"}}}',
    ];
    for (const body of bodies) {
      const reply = await target.client.request('POST', MAPS, { body });
      assert.ok([201, 400, 422].includes(reply.code), reply.text);
    }
    for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted', '/metadata/__proto__/polluted']) {
      const reply = await target.client.request('PATCH', `${MAPS}/there`, {
        body: [{ op: 'add', path, value: 'polluted' }],
        headers: { 'Content-Type': 'application/json-patch+json' },
      });
      assert.ok([200, 400, 422].includes(reply.code), reply.text);
      assert.equal(reply.text.includes('"polluted":"polluted"'), false);
    }
    await assertUnchanged();
  });

  test('They are not names of resources, groups, versions, users or options.', async () => {
    for (const key of keys) {
      for (const path of [
        `/api/${key}/pods`,
        `/api/v1/${key}`,
        `/apis/${key}/v1/x`,
        `/apis/apps/${key}/x`,
        `/${key}`,
      ]) {
        const { code } = await target.client.get(path);
        assert.equal(code, 404, path);
      }
      const query = `${key}=1&${key}[polluted]=1&fieldSelector=${key}%3D1&labelSelector=${key}`;
      const { code, text } = await target.client.get(`${MAPS}?${query}`);
      assert.ok(code === 200 || code === 400, text);
      const headers = {
        'Impersonate-User': key,
        'Impersonate-Extra-__proto__': 'x',
        'Impersonate-Group': 'constructor',
      };
      assert.equal((await target.client.request('GET', SAFE, { headers })).code, 403);
    }
    await assertUnchanged();
  });

  test('Custom resources that preserve unknown fields keep them.', async () => {
    const preserving = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await target.define('odds', 'Odd', preserving);
    const path = '/apis/example.com/v1/odds';
    const body =
      '{"apiVersion":"example.com/v1","kind":"Odd","metadata":{"name":"a"},"spec":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}}}}';
    const made = await target.client.request('POST', path, { body });
    assert.equal(made.code, 201, made.text);
    assert.ok(made.text.includes('"__proto__":{"polluted":true}'), made.text);
    await assertUnchanged();
  });
});
