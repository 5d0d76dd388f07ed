import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encodeCbor } from '@tidegate/schema';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const TYPED = '{"metadata":{"name":"NAME","labels":{"x":"1","x":"2"}},"data":{"k":"1","k":"2"},"odd":1,"more":{"a":1}}';
const TYPED_FIELDS = [
  'duplicate field "metadata.labels.x"',
  'duplicate field "data.k"',
  'unknown field "odd"',
  'unknown field "more"',
];

describe('Field validation', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(CBOR);
    ({ client } = system);
    for (const name of ['put', 'patched']) await client.request('POST', MAPS, { body: configMap(name, { k: '0' }) });
  });
  after(() => system.stop());

  const request = (method: string, path: string, body: string | Buffer, type = 'application/json') =>
    client.request(method, path, { body, headers: { 'Content-Type': type } });
  const warningsOf = ({ headers }: Reply) => {
    const text = headers.warning ?? '';
    return [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, words = '']) => words.replace(/\\(.)/g, '$1'));
  };

  /** Checks each level with a body that has these surplus fields: only Strict rejects it. */
  const atEachLevel = async (fields: readonly string[], send: (query: string) => Promise<Reply>, where = '') => {
    const strict = await send('fieldValidation=Strict');
    assert.equal(strict.code, 400, strict.text);
    assert.equal(strict.json.message, `strict decoding error: ${fields.join(', ')}${where}`);
    for (const [level, warnings] of [
      ['Ignore', []],
      ['Warn', fields],
      ['', fields],
    ] as const) {
      const reply = await send(level === '' ? '' : `fieldValidation=${level}`);
      assert.ok(reply.code < 300, reply.text);
      assert.deepEqual(warningsOf(reply), warnings, level);
    }
    const wrong = await send('fieldValidation=Sometimes');
    assert.equal(wrong.code, 422);
    assert.match(
      wrong.json.message,
      /fieldValidation: Unsupported value: "Sometimes": supported values: "", "Ignore", "Strict", "Warn"/,
    );
  };

  let made = 0;
  test('All unknown and duplicate fields of a created object are reported.', () =>
    atEachLevel(TYPED_FIELDS, (query) => request('POST', `${MAPS}?${query}`, TYPED.replace('NAME', `made${made++}`))));

  test('All unknown and duplicate fields of a replaced object are reported.', () =>
    atEachLevel(TYPED_FIELDS, (query) => request('PUT', `${MAPS}/put?${query}`, TYPED.replace('NAME', 'put'))));

  test('Unknown and duplicate fields are reported for YAML.', () => {
    const yaml = 'metadata:\n  name: put\n  labels: {x: "1", x: "2"}\ndata: {k: "1", k: "2"}\nodd: 1\nmore: {a: 1}\n';
    const where = ' (line 3: key "x" already set in map, line 4: key "k" already set in map)';
    return atEachLevel(
      TYPED_FIELDS,
      (query) => request('PUT', `${MAPS}/put?${query}`, yaml, 'application/yaml'),
      where,
    );
  });

  test('Unknown and duplicate fields are reported for CBOR.', () => {
    const text = (value: string) => encodeCbor(value);
    const map = (...fields: Array<[string, Buffer]>) =>
      Buffer.concat([Buffer.from([0xa0 | fields.length]), ...fields.flatMap(([name, value]) => [text(name), value])]);
    const body = map(
      ['metadata', map(['name', text('put')], ['labels', map(['x', text('1')], ['x', text('2')])])],
      ['data', map(['k', text('1')], ['k', text('2')])],
      ['odd', Buffer.from([1])],
      ['more', map(['a', Buffer.from([1])])],
    );
    return atEachLevel(TYPED_FIELDS, (query) => request('PUT', `${MAPS}/put?${query}`, body, 'application/cbor'));
  });

  test('The last value of a duplicate field is used.', async () => {
    const { json } = await client.get(`${MAPS}/put`);
    assert.deepEqual([json.metadata.labels, json.data, json.odd], [{ x: '2' }, { k: '2' }, undefined]);
  });

  const patch = (type: string, body: string) => (query: string) =>
    request('PATCH', `${MAPS}/patched?${query}`, body, `application/${type}+json`);

  test('Operations of a JSON patch and the patched object are validated.', async () => {
    const body = '[{"op":"test","op":"add","path":"/data/z","value":"1","foo":1}]';
    const fields = ['json patch duplicate field "[0].op"', 'json patch unknown field "[0].foo"'];
    await atEachLevel(fields, patch('json-patch', body));
    await atEachLevel(['unknown field "odd"'], patch('json-patch', '[{"op":"add","path":"/odd","value":{"a":1}}]'));
  });

  test('Duplicate fields of a merge patch are reported.', () =>
    atEachLevel(
      ['duplicate field "data.k"', 'duplicate field "odd"'],
      patch('merge-patch', '{"data":{"k":"1","k":"2"},"odd":null,"odd":null}'),
    ));

  test('Unknown fields of the patched object are reported for merge patches.', async () => {
    for (const type of ['merge-patch', 'strategic-merge-patch']) {
      await atEachLevel(
        ['unknown field "metadata.wrong"', 'unknown field "odd"'],
        patch(type, '{"metadata":{"wrong":1},"odd":1}'),
      );
    }
  });

  test('Duplicate fields of a strategic merge patch are reported.', () =>
    atEachLevel(['duplicate field "data.k"'], patch('strategic-merge-patch', '{"data":{"k":"1","k":"2"}}')));

  test('Other decoding errors have priority over field validation, at every level.', async () => {
    for (const level of ['Strict', 'Warn', 'Ignore']) {
      const reply = await request(
        'POST',
        `${MAPS}?fieldValidation=${level}`,
        '{"metadata":{"name":"w"},"odd":1,"odd":2,"data":1}',
      );
      assert.equal(reply.code, 400);
      assert.match(
        reply.json.message,
        /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number/,
      );
    }
  });

  test('Warnings are valid headers for any field name, without duplicates, up to 4,096 characters.', async () => {
    const name = 'quo"te\\ü\n\u0000';
    const odd = await request('PUT', `${MAPS}/put`, JSON.stringify({ metadata: { name: 'put' }, [name]: 1 }));
    assert.equal(odd.code, 200, odd.text);
    const [warning = ''] = warningsOf(odd);
    assert.equal(Buffer.from(warning, 'latin1').toString(), `unknown field ${JSON.stringify(name)}`);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}${'x'.repeat(300)}`, 1]));
    const cut = warningsOf(await request('PUT', `${MAPS}/put`, JSON.stringify({ metadata: { name: 'put' }, ...many })));
    assert.deepEqual([cut.length, new Set(cut.map(({ length }) => length))], [16, new Set([256])]);
    const longest = { metadata: { name: 'put' }, ['y'.repeat(1 << 20)]: { a: 1 }, b: 1 };
    const strict = await request('PUT', `${MAPS}/put?fieldValidation=Strict`, JSON.stringify(longest));
    assert.deepEqual([strict.code, strict.text.length < 1 << 18], [400, true]);
    assert.match(strict.json.message, /, and 1 more$/);
  });
});
