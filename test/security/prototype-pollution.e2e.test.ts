import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Stage } from './stage.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const SAFE = '/api/v1/namespaces/kube-system/secrets/safe';

describe('Names that mean something to JavaScript', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
    await stage.make(MAPS, { metadata: { name: 'there' } });
  });
  after(() => stage?.close());

  /** Nothing is in objects that nobody has put there, and mallory may do no more than before. */
  const unchanged = async () => {
    const made = await stage.client.ask('POST', `${MAPS}?dryRun=All`, { body: { metadata: { name: 'plain' } } });
    assert.equal(made.code, 201, made.text);
    assert.deepEqual(Object.keys(made.json).sort(), ['apiVersion', 'kind', 'metadata']);
    assert.equal(made.text.includes('polluted'), false);
    assert.equal((await stage.ask('GET', SAFE)).code, 403);
  };

  const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

  test('are keys of data like any other, in each encoding and by each patch', async () => {
    const data = Object.fromEntries(keys.map((key) => [key, 'polluted']));
    const json = `{"metadata":{"name":"keys"},"data":{${keys.map((key) => `"${key}":"polluted"`).join()}}}`;
    assert.equal((await stage.client.ask('POST', MAPS, { body: json })).code, 201);
    const yaml = `metadata: {name: keys-yaml}\ndata:\n${keys.map((key) => `  ${key}: polluted\n`).join('')}`;
    const headers = { 'Content-Type': 'application/yaml' };
    assert.equal((await stage.client.ask('POST', MAPS, { body: yaml, headers })).code, 201);
    const patches: ReadonlyArray<[type: string, body: string]> = [
      ['merge-patch+json', `{"data":{${keys.map((key) => `"${key}":"polluted"`).join()}}}`],
      ['strategic-merge-patch+json', `{"data":{${keys.map((key) => `"${key}":"polluted"`).join()}}}`],
    ];
    for (const [i, [type, body]] of patches.entries()) {
      await stage.make(MAPS, { metadata: { name: `patched-${i}` } });
      const patched = await stage.client.ask('PATCH', `${MAPS}/patched-${i}`, {
        body,
        headers: { 'Content-Type': `application/${type}` },
      });
      assert.equal(patched.code, 200, `${type} ${patched.text}`);
    }
    const applied = await stage.client.ask('PATCH', `${MAPS}/applied?fieldManager=a`, {
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n${keys.map((key) => `  ${key}: polluted\n`).join('')}`,
      headers: { 'Content-Type': 'application/apply-patch+yaml' },
    });
    assert.equal(applied.code, 201, applied.text);
    for (const name of ['keys', 'keys-yaml', 'patched-0', 'patched-1', 'applied']) {
      const { text } = await stage.client.get(`${MAPS}/${name}`);
      // read as a map: a parser that makes an object of it would hide one of them
      for (const key of Object.keys(data)) assert.ok(text.includes(`"${key}":"polluted"`), `${name} ${key} ${text}`);
    }
    await unchanged();
  });

  test('are places of no JSON patch where an object could have them by itself, and it says what to do', async () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const { code, json } = await stage.client.ask('PATCH', `${MAPS}/there`, {
        body: [
          { op: 'add', path: '/data', value: {} },
          { op: 'add', path: `/data/${key}`, value: 'polluted' },
        ],
        headers: { 'Content-Type': 'application/json-patch+json' },
      });
      if (code === 200) assert.equal(Object.hasOwn(json.data, key) && json.data[key], 'polluted');
      else assert.match(json.message, /use a merge patch for such keys/);
    }
    await stage.client.ask('PATCH', `${MAPS}/there`, { body: { data: null }, headers: MERGE });
    await unchanged();
  });

  test('are no fields of an object, wherever they stand', async () => {
    const bodies = [
      '{"__proto__":{"polluted":true},"metadata":{"name":"a"}}',
      '{"constructor":{"prototype":{"polluted":true}},"metadata":{"name":"b"}}',
      '{"metadata":{"name":"c","__proto__":{"groups":["system:masters"]}}}',
      '{"metadata":{"name":"d","labels":{"__proto__":"polluted"},"annotations":{"__proto__":"x"}}}',
    ];
    for (const body of bodies) {
      const reply = await stage.client.ask('POST', MAPS, { body });
      assert.ok([201, 400, 422].includes(reply.code), reply.text);
    }
    for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted', '/metadata/__proto__/polluted']) {
      const reply = await stage.client.ask('PATCH', `${MAPS}/there`, {
        body: [{ op: 'add', path, value: 'polluted' }],
        headers: { 'Content-Type': 'application/json-patch+json' },
      });
      assert.ok([200, 400, 422].includes(reply.code), reply.text);
      assert.equal(reply.text.includes('"polluted":"polluted"'), false);
    }
    await unchanged();
  });

  test('are no resources, groups, versions, users or options', async () => {
    for (const key of keys) {
      for (const path of [
        `/api/${key}/pods`,
        `/api/v1/${key}`,
        `/apis/${key}/v1/x`,
        `/apis/apps/${key}/x`,
        `/${key}`,
      ]) {
        const { code } = await stage.client.get(path);
        assert.equal(code, 404, path);
      }
      const query = `${key}=1&${key}[polluted]=1&fieldSelector=${key}%3D1&labelSelector=${key}`;
      const { code, text } = await stage.client.get(`${MAPS}?${query}`);
      assert.ok(code === 200 || code === 400, text);
      const headers = {
        'Impersonate-User': key,
        'Impersonate-Extra-__proto__': 'x',
        'Impersonate-Group': 'constructor',
      };
      assert.equal((await stage.client.ask('GET', SAFE, { headers })).code, 403);
    }
    await unchanged();
  });

  test('are kept in custom resources that keep what they do not know', async () => {
    const preserving = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await stage.define('odds', 'Odd', preserving);
    const path = '/apis/example.com/v1/odds';
    const body =
      '{"apiVersion":"example.com/v1","kind":"Odd","metadata":{"name":"a"},"spec":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}}}}';
    const made = await stage.client.ask('POST', path, { body });
    assert.equal(made.code, 201, made.text);
    assert.ok(made.text.includes('"__proto__":{"polluted":true}'), made.text);
    await unchanged();
  });
});
