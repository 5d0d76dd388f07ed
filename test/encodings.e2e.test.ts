import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { decodeCbor, encodeCbor, type JsonObject } from '@tidegate/schema';
import { dump, load, loadAll } from 'js-yaml';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { maskTimes, maskTimesIn } from './support/mask-times.ts';
import { rawWatch } from './support/raw-watch.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const META = 'g=meta.k8s.io;v=v1';

interface Encoding {
  readonly type: string;
  readonly stream: string;
  write(value: unknown): Buffer;
  read(bytes: Buffer): JsonObject;
  /** decodes the events of a complete watch */
  events(bytes: Buffer): JsonObject[];
}

/** A sequence of CBOR documents: each begins with the self-described tag and a map of two entries. */
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
  describe(`Answers and bodies in ${type}`, () => {
    let system: RunningSystem;
    let client: Client;
    const request = (path: string, accept = type, headers = {}) => client.get(path, { Accept: accept, ...headers });
    const decoded = (reply: Reply): JsonObject => {
      assert.equal(reply.headers['content-type'], type);
      return read(reply.bytes);
    };

    before(async () => {
      system = await sharedSystem(CBOR);
      ({ client } = system);
      const texts = ['yes', '0777', '1:30', 'a: b\n  c\n', '  lead\nx', 'ä😀', '', '- x', 'null', '\u0001'];
      for (const [i, text] of texts.entries()) {
        const made = await client.request('POST', MAPS, { body: configMap(`m${i}`, { text, long: 'x'.repeat(200) }) });
        assert.equal(made.code, 201);
      }
    });
    after(() => system.stop());

    test('Objects and lists have the same contents as in JSON.', async () => {
      for (const path of [
        `${MAPS}/m3`,
        MAPS,
        `${MAPS}?limit=2`,
        '/api/v1/namespaces/nowhere/configmaps',
        '/api/v1/namespaces',
      ]) {
        assert.deepEqual(maskTimesIn(decoded(await request(path))), maskTimesIn((await client.get(path)).json), path);
      }
    });

    test('Tables and PartialObjectMetadata have the same contents as in JSON.', async () => {
      for (const as of ['PartialObjectMetadata', 'PartialObjectMetadataList', 'Table']) {
        for (const path of [`${MAPS}/m4`, MAPS]) {
          const parameters = `as=${as};${META}`;
          const json = (await client.get(path, { Accept: `application/json;${parameters}` })).json;
          assert.equal(
            maskTimes(JSON.stringify(decoded(await request(path, `${type};${parameters}`)))).length,
            maskTimes(JSON.stringify(json)).length,
            `${as} ${path}`,
          );
        }
      }
    });

    test('Objects can be written in this encoding and are returned in it.', async () => {
      const object = { ...configMap('written', { a: '1', b: 'yes' }), binaryData: { c: 'AAEC' } };
      const headers = { Accept: type, 'Content-Type': type };
      const made = await client.request('POST', MAPS, { body: write(object), headers });
      assert.equal(made.code, 201, made.text);
      assert.deepEqual(decoded(made), (await client.get(`${MAPS}/written`)).json);
      const changed = { ...decoded(made), data: { a: '2' } };
      const put = await client.request('PUT', `${MAPS}/written`, { body: write(changed), headers });
      assert.deepEqual(decoded(put), (await client.get(`${MAPS}/written`)).json);
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'another' } };
      const kept = await client.request('DELETE', `${MAPS}/written`, { body: write(options), headers });
      assert.deepEqual([kept.code, decoded(kept).reason], [409, 'Conflict']);
      const gone = await client.request('DELETE', `${MAPS}/written`, { headers });
      assert.equal(decoded(gone).status, 'Success');
    });

    test('Errors are returned in this encoding.', async () => {
      const missing = await request(`${MAPS}/nothing`);
      assert.equal(missing.code, 404);
      assert.deepEqual(decoded(missing), (await client.get(`${MAPS}/nothing`)).json);
      const broken = await client.request('POST', MAPS, {
        body: Buffer.from([0x9f, 0xff, 0x00]),
        headers: { 'Content-Type': type },
      });
      assert.deepEqual([broken.code, broken.json.reason], [400, 'BadRequest']);
    });

    test('Lists are compressed on request.', async () => {
      const gzip = await request(MAPS, type, { 'Accept-Encoding': 'gzip' });
      assert.equal(gzip.headers['content-encoding'], 'gzip');
      assert.deepEqual(read(gunzipSync(gzip.bytes)), (await client.get(MAPS)).json);
    });

    test('A watch is a sequence of documents.', async () => {
      const onStart = async () => {
        await client.request('PUT', `${MAPS}/m5`, { body: configMap('m5', { text: 'line\n\nline\n' }) });
        await client.request('DELETE', `${MAPS}/m6`);
      };
      const bytes = await rawWatch(system, { path: `${MAPS}?watch=1&timeoutSeconds=2`, accept: type, stream, onStart });
      const rows = events(bytes);
      const { items } = (await client.get(MAPS)).json;
      const ofType = (wanted: string) =>
        rows
          .filter((row) => row.type === wanted)
          .map(({ object }) => {
            // an object in an event has its kind; an item of a list has not
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

describe('CBOR without its feature gate', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system.stop());

  test('CBOR is rejected in requests and answers.', async () => {
    const { client } = system;
    assert.equal((await client.get(MAPS, { Accept: 'application/cbor' })).code, 406);
    const headers = { 'Content-Type': 'application/cbor' };
    const refused = await client.request('POST', MAPS, { body: encodeCbor(configMap('c') as JsonObject), headers });
    assert.equal(refused.code, 415);
    assert.equal((await client.get(`${MAPS}/c`)).code, 404);
    const other = await client.get(MAPS, { Accept: 'application/cbor, application/yaml;q=0.5' });
    assert.equal(other.headers['content-type'], 'application/yaml');
  });
});
