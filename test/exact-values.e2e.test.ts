import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import { decodeCbor, decodeProtobuf, encodeCbor, type JsonObject } from '@tidegate/schema';
import { type Client, MAPS } from './support/client.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const LARGE = '9223372036854775807';
const ODD = '-9007199254740993';

describe('Exact values', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(CBOR);
    ({ client } = system);
  });
  after(() => system.stop());

  const request = (method: string, path: string, body: string | Buffer, type = 'application/json') =>
    client.request(method, path, { body, headers: { 'Content-Type': type } });
  const revision = (name: string) =>
    `{"metadata":{"name":"${name}"},"revision":${LARGE},"data":{"deep":[{"number":${ODD}},1.5,1e21]}}`;
  const holds = ({ text }: { text: string }) => {
    assert.ok(text.includes(`"revision":${LARGE}`), text);
    assert.ok(text.includes(`"data":{"deep":[{"number":${ODD}},1.5,1e+21]}`), text);
  };
  const { schema } = builtInRegistry().find('apps', 'v1', 'controllerrevisions') as Kind;

  test('64-bit integers are preserved in typed and untyped fields, between all encodings.', async () => {
    holds(await request('POST', REVISIONS, revision('json')));
    holds(await client.get(`${REVISIONS}/json`));
    const yaml = (await client.get(`${REVISIONS}/json`, { Accept: 'application/yaml' })).text;
    assert.ok(yaml.includes(`revision: ${LARGE}\n`) && yaml.includes(`number: ${ODD}\n`), yaml);
    const cbor = (await client.get(`${REVISIONS}/json`, { Accept: 'application/cbor' })).bytes;
    const protobuf = (await client.get(`${REVISIONS}/json`, { Accept: 'application/vnd.kubernetes.protobuf' })).bytes;
    for (const read of [decodeCbor(cbor, schema), decodeProtobuf(schema, protobuf)] as JsonObject[]) {
      assert.deepEqual([read.revision, read.data], [2n ** 63n - 1n, { deep: [{ number: BigInt(ODD) }, 1.5, 1e21] }]);
    }
    const renamed = (text: string) => text.replace(/ {2}resourceVersion: .*\n/, '');
    await client.request('DELETE', `${REVISIONS}/json`);
    holds({ text: (await request('POST', REVISIONS, renamed(yaml), 'application/yaml')).text });
    await client.request('DELETE', `${REVISIONS}/json`);
    const object = decodeCbor(cbor, schema) as JsonObject;
    delete (object.metadata as JsonObject).resourceVersion;
    holds(await request('POST', REVISIONS, encodeCbor(object, schema), 'application/cbor'));
    await client.request('DELETE', `${REVISIONS}/json`);
    for (const path of [REVISIONS, `${REVISIONS}?limit=1`]) {
      await request('POST', REVISIONS, revision(`listed-${path.length}`));
      holds(await client.get(path));
      assert.ok((await client.get(path, { Accept: 'application/yaml' })).text.includes(`number: ${ODD}`));
    }
  });

  test('64-bit integers are preserved by every kind of patch.', async () => {
    await request('POST', REVISIONS, revision('patched'));
    const path = `${REVISIONS}/patched`;
    const patches = {
      'json-patch': `[{"op":"test","path":"/data/deep/0/number","value":${ODD}},{"op":"add","path":"/metadata/labels","value":{}}]`,
      'merge-patch': `{"revision":${LARGE},"metadata":{"labels":{"b":"c"}}}`,
      'strategic-merge-patch': `{"metadata":{"labels":{"a":"b"}}}`,
    };
    for (const [type, body] of Object.entries(patches)) {
      const reply = await request('PATCH', path, body, `application/${type}+json`);
      assert.equal(reply.code, 200, reply.text);
      assert.ok(reply.text.includes(`"revision":${LARGE}`), reply.text);
      assert.ok(reply.text.includes(`"number":${ODD}`), reply.text);
    }
    const missed = `[{"op":"test","path":"/data/deep/0/number","value":${ODD.replace(/3$/, '2')}}]`;
    assert.equal((await request('PATCH', path, missed, 'application/json-patch+json')).code, 422);
  });

  test('Invalid numbers are rejected with the messages of Kubernetes.', async () => {
    for (const digits of ['9223372036854775808', '1.0', '1e3', '-9223372036854775809']) {
      const reply = await request('POST', REVISIONS, `{"metadata":{"name":"n"},"revision":${digits}}`);
      assert.equal(reply.code, 400);
      assert.match(
        reply.json.message,
        new RegExp(
          `json: cannot unmarshal number ${digits} into Go struct field ControllerRevision.revision of type int64`,
        ),
      );
    }
    assert.equal(
      (await request('POST', REVISIONS, '{"metadata":{"name":"n"},"revision":1,"data":{"a":1e400}}')).code,
      400,
    );
  });

  test('Texts with NUL or lone surrogates, and keys of any name, are preserved.', async () => {
    const body = '{"metadata":{"name":"texts"},"data":{"a":"x\\u0000y","b":"\\ud800z","c":"😀\\ud83d\\ude00"}}';
    const reply = await request('POST', MAPS, body);
    assert.equal(reply.code, 201, reply.text);
    const data = { a: 'x\0y', b: '\ufffdz', c: '😀😀' };
    assert.deepEqual((await client.get(`${MAPS}/texts`)).json.data, data);
    const cbor = await client.get(`${MAPS}/texts`, { Accept: 'application/cbor' });
    assert.deepEqual((decodeCbor(cbor.bytes) as JsonObject).data, data);
    const proto = await request(
      'PATCH',
      `${MAPS}/texts`,
      '{"data":{"__proto__":"p","constructor":"c"}}',
      'application/merge-patch+json',
    );
    assert.ok(proto.text.includes('"__proto__":"p"'), proto.text);
    assert.equal((await request('POST', MAPS, Buffer.from('{"metadata":{"name":"\xff"}}', 'latin1'))).code, 400);
    for (const path of [
      `${MAPS}/a%00b`,
      '/api/v1/namespaces/a%00b/configmaps',
      `${MAPS}?fieldSelector=metadata.name%3D%00`,
    ]) {
      const { code } = await client.get(path);
      assert.ok(code < 500, `${path}: ${code}`);
    }
  });

  test('Objects with the largest permitted nesting work in every encoding, and deeper ones are rejected.', async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}${LARGE}${'}'.repeat(levels)}`;
    const deep = await request('POST', REVISIONS, `{"metadata":{"name":"deep"},"revision":1,"data":${nested(511)}}`);
    assert.equal(deep.code, 201, deep.text.slice(0, 200));
    const path = `${REVISIONS}/deep`;
    const types = ['application/json', 'application/yaml', 'application/cbor', 'application/vnd.kubernetes.protobuf'];
    for (const type of types) {
      for (const accept of [type, `${type};as=Table;g=meta.k8s.io;v=v1`]) {
        for (const url of [path, `${path}?pretty=1`, REVISIONS, `${path}?includeObject=Object`]) {
          assert.equal((await client.get(url, { Accept: accept })).code, 200, `${accept} ${url}`);
        }
      }
      const { bytes } = await client.get(path, { Accept: type });
      const put = await request('PUT', path, bytes, type);
      assert.equal(put.code, 200, `${type} ${put.text.slice(-300)}`);
    }
    const bombs: Array<[type: string, body: string | Buffer]> = [
      ['application/json', `{"data":${nested(100_000)}}`],
      ['application/json', '['.repeat(3_000_000)],
      ['application/yaml', `data: ${'{a: '.repeat(50_000)}`],
      ['application/yaml', `data: ${'- '.repeat(50_000)}`],
      ['application/yaml', Array.from({ length: 1500 }, (_, i) => `${' '.repeat(i)}a:\n`).join('')],
      ['application/cbor', Buffer.concat([Buffer.alloc(100_000, 0x81), Buffer.from([0])])],
      ['application/cbor', Buffer.alloc(100_000, 0xd6)],
      ['application/cbor', Buffer.alloc(100_000, 0x9f)],
    ];
    for (const [type, body] of bombs) {
      const reply = await request('POST', REVISIONS, body, type);
      assert.deepEqual([reply.code, reply.json?.reason], [400, 'BadRequest'], `${type} ${reply.text.slice(0, 200)}`);
    }
    for (const type of ['json-patch', 'merge-patch', 'strategic-merge-patch']) {
      const value = nested(20_000);
      const body = type === 'json-patch' ? `[{"op":"add","path":"/data","value":${value}}]` : `{"data":${value}}`;
      assert.equal((await request('PATCH', path, body, `application/${type}+json`)).code, 400, type);
    }
    const deeper = Array.from({ length: 600 }, (_, i) => ({ op: 'add', path: `/data${'/a'.repeat(i)}`, value: {} }));
    assert.equal((await request('PATCH', path, JSON.stringify(deeper), 'application/json-patch+json')).code, 422);
    assert.equal((await client.get(path)).code, 200);
  });
});
