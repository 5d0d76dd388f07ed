import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { decodeCbor, encodeCbor, type JsonObject } from '@tidegate/schema';
import { dump, load, loadAll } from 'js-yaml';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { rawWatch } from './support/raw-watch.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';
import { timeless, timelessValue } from './support/timeless.ts';

const META = 'g=meta.k8s.io;v=v1';

interface Encoding {
  readonly type: string;
  readonly stream: string;
  write(value: unknown): Buffer;
  read(bytes: Buffer): JsonObject;
  /** the events of a watch that has ended */
  events(bytes: Buffer): JsonObject[];
}

/** Documents of CBOR one behind the other: each begins with the tag that says so, and a map of two. */
function cborDocuments(bytes: Buffer): JsonObject[] {
  const begin = Buffer.from([0xd9, 0xd9, 0xf7, 0xa2]);
  const starts: number[] = [];
  for (let at = bytes.indexOf(begin); at >= 0; at = bytes.indexOf(begin, at + 1)) starts.push(at);
  return starts.map((at, i) => decodeCbor(bytes.subarray(at, starts[i + 1])) as JsonObject);
}

const ENCODINGS: readonly Encoding[] = [
  {
    type: 'application/yaml',
    stream: 'application/yaml',
    write: (value) => Buffer.from(dump(value)),
    read: (bytes) => load(bytes.toString()) as JsonObject,
    events: (bytes) => (loadAll(bytes.toString()) as JsonObject[]).filter(Boolean),
  },
  {
    type: 'application/cbor',
    stream: 'application/cbor-seq',
    write: (value) => encodeCbor(value as JsonObject),
    read: (bytes) => {
      assert.equal(bytes.subarray(0, 3).toString('hex'), 'd9d9f7');
      return decodeCbor(bytes) as JsonObject;
    },
    events: cborDocuments,
  },
];

for (const { type, stream, write, read, events } of ENCODINGS) {
  describe(`In ${type}`, () => {
    let system: RunningSystem;
    let client: Client;
    const ask = (path: string, accept = type, headers = {}) => client.get(path, { Accept: accept, ...headers });
    const told = (reply: Reply): JsonObject => {
      assert.equal(reply.headers['content-type'], type);
      return read(reply.bytes);
    };

    before(async () => {
      system = await sharedSystem(CBOR);
      ({ client } = system);
      const texts = ['yes', '0777', '1:30', 'a: b\n  c\n', '  lead\nx', 'ä😀', '', '- x', 'null', '\u0001'];
      for (const [i, text] of texts.entries()) {
        const made = await client.ask('POST', MAPS, { body: configMap(`m${i}`, { text, long: 'x'.repeat(200) }) });
        assert.equal(made.code, 201);
      }
    });
    after(() => system.stop());

    test('objects and lists say what they say in JSON', async () => {
      for (const path of [
        `${MAPS}/m3`,
        MAPS,
        `${MAPS}?limit=2`,
        '/api/v1/namespaces/nowhere/configmaps',
        '/api/v1/namespaces',
      ]) {
        assert.deepEqual(timelessValue(told(await ask(path))), timelessValue((await client.get(path)).json), path);
      }
    });

    test('so do Tables and metadata alone', async () => {
      for (const as of ['PartialObjectMetadata', 'PartialObjectMetadataList', 'Table']) {
        for (const path of [`${MAPS}/m4`, MAPS]) {
          const asked = `as=${as};${META}`;
          const json = (await client.get(path, { Accept: `application/json;${asked}` })).json;
          assert.equal(
            timeless(JSON.stringify(told(await ask(path, `${type};${asked}`)))).length,
            timeless(JSON.stringify(json)).length,
            `${as} ${path}`,
          );
        }
      }
    });

    test('objects can be written in it, and are answered in it', async () => {
      const object = { ...configMap('written', { a: '1', b: 'yes' }), binaryData: { c: 'AAEC' } };
      const headers = { Accept: type, 'Content-Type': type };
      const made = await client.ask('POST', MAPS, { body: write(object), headers });
      assert.equal(made.code, 201, made.text);
      assert.deepEqual(told(made), (await client.get(`${MAPS}/written`)).json);
      const changed = { ...told(made), data: { a: '2' } };
      const put = await client.ask('PUT', `${MAPS}/written`, { body: write(changed), headers });
      assert.deepEqual(told(put), (await client.get(`${MAPS}/written`)).json);
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'another' } };
      const kept = await client.ask('DELETE', `${MAPS}/written`, { body: write(options), headers });
      assert.deepEqual([kept.code, told(kept).reason], [409, 'Conflict']);
      const gone = await client.ask('DELETE', `${MAPS}/written`, { headers });
      assert.equal(told(gone).status, 'Success');
    });

    test('errors are told in it', async () => {
      const missing = await ask(`${MAPS}/nothing`);
      assert.equal(missing.code, 404);
      assert.deepEqual(told(missing), (await client.get(`${MAPS}/nothing`)).json);
      const broken = await client.ask('POST', MAPS, {
        body: Buffer.from([0x9f, 0xff, 0x00]),
        headers: { 'Content-Type': type },
      });
      assert.deepEqual([broken.code, broken.json.reason], [400, 'BadRequest']);
    });

    test('lists are gzip where that is wanted', async () => {
      const gzip = await ask(MAPS, type, { 'Accept-Encoding': 'gzip' });
      assert.equal(gzip.headers['content-encoding'], 'gzip');
      assert.deepEqual(read(gunzipSync(gzip.bytes)), (await client.get(MAPS)).json);
    });

    test('a watch is a row of documents', async () => {
      const act = async () => {
        await client.ask('PUT', `${MAPS}/m5`, { body: configMap('m5', { text: 'line\n\nline\n' }) });
        await client.ask('DELETE', `${MAPS}/m6`);
      };
      const bytes = await rawWatch(system, { path: `${MAPS}?watch=1&timeoutSeconds=2`, accept: type, stream, act });
      const rows = events(bytes);
      const { items } = (await client.get(MAPS)).json;
      const ofType = (wanted: string) =>
        rows
          .filter((row) => row.type === wanted)
          .map(({ object }) => {
            // an event names the kind of its object, and a list the kind of all its items
            const { kind, apiVersion, ...item } = object as JsonObject;
            assert.deepEqual([kind, apiVersion], ['ConfigMap', 'v1']);
            return item;
          });
      const nameOf = (object: JsonObject) => (object.metadata as JsonObject).name;
      assert.deepEqual(
        ofType('MODIFIED'),
        items.filter((item: JsonObject) => nameOf(item) === 'm5'),
      );
      assert.deepEqual(ofType('DELETED').map(nameOf), ['m6']);
      const still = ofType('ADDED').filter((object) => nameOf(object) !== 'm5' && nameOf(object) !== 'm6');
      assert.deepEqual(
        still,
        items.filter((item: JsonObject) => nameOf(item) !== 'm5'),
      );
    });
  });
}

describe('CBOR without its gate', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system.stop());

  test('is neither answered nor taken', async () => {
    const { client } = system;
    assert.equal((await client.get(MAPS, { Accept: 'application/cbor' })).code, 406);
    const headers = { 'Content-Type': 'application/cbor' };
    const refused = await client.ask('POST', MAPS, { body: encodeCbor(configMap('c') as JsonObject), headers });
    assert.equal(refused.code, 415);
    assert.equal((await client.get(`${MAPS}/c`)).code, 404);
    const other = await client.get(MAPS, { Accept: 'application/cbor, application/yaml;q=0.5' });
    assert.equal(other.headers['content-type'], 'application/yaml');
  });
});
