import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { builtInRegistry, type Kind, listSchema, metaSchemas } from '@tidegate/kinds';
import { decodeProtobuf, encodeMessage, inEnvelope, type JsonObject, type Schema } from '@tidegate/schema';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { maskTimesIn } from './support/mask-times.ts';
import { rawWatch } from './support/raw-watch.ts';
import { type RunningSystem, SMALL_LIMITS } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const NAMES = ['application/vnd.kubernetes.protobuf', 'application/vnd.cluster.protobuf'];
const [PROTOBUF = ''] = NAMES;
const METADATA = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const kind = builtInRegistry().find('', 'v1', 'configmaps') as Kind;
const STORED_MAPS = 7;

type ObjectSchema = Schema & { type: 'object' };

function read(schema: ObjectSchema, reply: Reply): JsonObject {
  assert.ok(NAMES.includes(reply.headers['content-type'] ?? ''), `${reply.headers['content-type']}: ${reply.text}`);
  return decodeProtobuf(schema, reply.bytes);
}

/** An object of a JSON list without its type, which items in Protobuf do not have. */
const untyped = ({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject => rest;

describe('Protobuf', () => {
  let system: RunningSystem;
  let client: Client;
  const inProtobuf = (path: string, accept = PROTOBUF, headers = {}) =>
    client.get(path, { Accept: accept, ...headers });

  before(async () => {
    // one collection is too large for a mirror, and windows are small, so that lists come from all parts
    system = await sharedSystem(SMALL_LIMITS);
    ({ client } = system);
    for (let i = 0; i < STORED_MAPS; i++) {
      const labels = { color: i % 2 === 0 ? 'red' : 'blue' };
      await client.request('POST', MAPS, { body: configMap(`m${i}`, { text: `ä${i}`.repeat(200) }, { labels }) });
    }
  });
  after(() => system.stop());

  for (const name of NAMES) {
    test(`An object and a list can be requested as ${name}.`, async () => {
      const one = await inProtobuf(`${MAPS}/m1`, name);
      assert.equal(one.headers['content-type'], name);
      assert.deepEqual(read(kind.schema, one), (await client.get(`${MAPS}/m1`)).json);
      const list = read(listSchema(kind), await inProtobuf(MAPS, `${name}, application/json`));
      const { json } = await client.get(MAPS);
      assert.deepEqual(list.items, json.items.map(untyped));
      assert.deepEqual([list.kind, list.apiVersion, list.metadata], ['ConfigMapList', 'v1', json.metadata]);
    });
  }

  test('The preferred media type is used, and an unsupported type is rejected before the request is executed.', async () => {
    const json = await inProtobuf(`${MAPS}/m1`, `${PROTOBUF};q=0.5, application/json`);
    assert.equal(json.headers['content-type'], 'application/json');
    const rejected = await client.request('POST', MAPS, { body: configMap('never'), headers: { Accept: 'text/html' } });
    assert.equal(rejected.code, 406);
    assert.ok(rejected.text.includes('\n  "'), 'the error is indented');
    assert.match(rejected.json.message, /application\/vnd\.kubernetes\.protobuf/);
    assert.equal((await client.get(`${MAPS}/never`)).code, 404);
  });

  test('Pages, namespaces and selections have the same contents as in JSON.', async () => {
    for (const query of [
      '?limit=3',
      '?labelSelector=color%3Dred',
      '?labelSelector=color%3Dred&limit=2',
      '?limit=500',
    ]) {
      const list = read(listSchema(kind), await inProtobuf(`${MAPS}${query}`));
      const { json } = await client.get(`${MAPS}${query}`);
      assert.deepEqual(list.items, json.items.map(untyped));
      const { continue: next = '', ...metadata } = json.metadata;
      const expected = next === '' ? metadata : { ...metadata, continue: next };
      assert.deepEqual(maskTimesIn(list.metadata), maskTimesIn(expected));
    }
    assert.deepEqual(read(listSchema(kind), await inProtobuf('/api/v1/namespaces/nowhere/configmaps')).items ?? [], []);
  });

  test('PartialObjectMetadata is a message, and a Table is JSON inside a Protobuf envelope.', async () => {
    const partial = read(metaSchemas.partialObject, await inProtobuf(`${MAPS}/m2`, `${PROTOBUF};${METADATA}`));
    const { json } = await client.get(`${MAPS}/m2`);
    assert.deepEqual(partial, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: json.metadata });
    const items: ObjectSchema = {
      type: 'object',
      fields: { items: { type: 'list', items: metaSchemas.partialObject, number: 2 } },
    };
    const list = read(items, await inProtobuf(MAPS, `${PROTOBUF};${METADATA}`));
    assert.equal(list.kind, 'PartialObjectMetadataList');
    assert.equal((list.items as []).length, (await client.get(MAPS)).json.items.length);
    for (const path of [`${MAPS}/m2`, MAPS]) {
      const table = read(kind.schema, await inProtobuf(path, `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`));
      const headers = { Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
      assert.deepEqual(maskTimesIn(table), maskTimesIn((await client.get(path, headers)).json));
    }
  });

  test('Errors and the Status of a deletion are Protobuf messages.', async () => {
    const missing = await inProtobuf(`${MAPS}/nothing`);
    assert.equal(missing.code, 404);
    assert.deepEqual(read(metaSchemas.status, missing), {
      ...(await client.get(`${MAPS}/nothing`)).json,
      metadata: {},
    });
    await client.request('POST', MAPS, { body: configMap('gone') });
    const deleted = await client.request('DELETE', `${MAPS}/gone`, { headers: { Accept: PROTOBUF } });
    assert.equal(read(metaSchemas.status, deleted).status, 'Success');
  });

  test('Objects can be written in Protobuf and are returned in it.', async () => {
    const object = { metadata: { name: 'written' }, data: { a: '1', b: 'ü' }, binaryData: { c: 'AAEC' } };
    const body = inEnvelope(
      { apiVersion: 'v1', kind: 'ConfigMap' },
      encodeMessage(kind.schema as ObjectSchema, object),
    );
    const headers = { Accept: PROTOBUF, 'Content-Type': PROTOBUF };
    const reply = await client.request('POST', MAPS, { body, headers });
    assert.equal(reply.code, 201, reply.text);
    const made = read(kind.schema, reply);
    assert.deepEqual(made, (await client.get(`${MAPS}/written`)).json);
    assert.deepEqual([made.data, made.binaryData], [object.data, object.binaryData]);
  });

  test('A list is compressed on request.', async () => {
    const plain = await inProtobuf(MAPS);
    const gzip = await inProtobuf(MAPS, PROTOBUF, { 'Accept-Encoding': 'gzip' });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
  });

  test('Old states from the store are served in Protobuf.', async () => {
    const { json: then } = await client.get(MAPS);
    for (let i = 0; i < 60; i++) {
      const body = configMap('m1', { text: `later ${i} ${'x'.repeat(500)}` });
      assert.equal((await client.request('PUT', `${MAPS}/m1`, { body })).code, 200);
    }
    const exact = `?resourceVersion=${then.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    assert.deepEqual(read(listSchema(kind), await inProtobuf(`${MAPS}${exact}`)).items, then.items.map(untyped));
    const page = read(listSchema(kind), await inProtobuf(`${MAPS}${exact}&limit=2`));
    assert.equal((page.metadata as JsonObject).remainingItemCount, then.items.length - 2);
  });

  test('A watch sends length-prefixed messages for the initial state, changes, bookmarks and errors.', async () => {
    const events = await watched(
      system,
      `${MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=2`,
      async () => {
        await client.request('PUT', `${MAPS}/m3`, { body: configMap('m3', { text: 'changed' }) });
        await client.request('DELETE', `${MAPS}/m4`);
      },
    );
    const { json: now } = await client.get(MAPS);
    const types = events.map(({ type }) => type);
    const state = types.indexOf('BOOKMARK');
    assert.deepEqual(new Set(types.slice(0, state)), new Set(['ADDED']));
    assert.deepEqual(types.slice(state + 1, state + 3), ['MODIFIED', 'DELETED']);
    const end = events[state]?.object as JsonObject;
    assert.deepEqual((end.metadata as JsonObject).annotations, { 'k8s.io/initial-events-end': 'true' });
    const changed = now.items.find((item: JsonObject) => (item.metadata as JsonObject).name === 'm3');
    assert.deepEqual(events[state + 1]?.object, { ...changed, kind: 'ConfigMap', apiVersion: 'v1' });
    const metadata = await watched(
      system,
      `${MAPS}?watch=1&timeoutSeconds=1`,
      async () => {},
      `${PROTOBUF};${METADATA}`,
    );
    assert.equal(metadata[0]?.object.kind, 'PartialObjectMetadata');
  });
});

interface DecodedEvent {
  readonly type: string;
  readonly object: JsonObject;
}

const EVENT: ObjectSchema = {
  type: 'object',
  fields: {
    type: { type: 'string', number: 1 },
    object: { type: 'object', number: 2, fields: { raw: { type: 'bytes', number: 1 } } },
  },
};

/** Reads all events of a watch in Protobuf. */
async function watched(
  system: RunningSystem,
  path: string,
  onStart?: () => Promise<void>,
  accept = PROTOBUF,
): Promise<DecodedEvent[]> {
  const stream = `${PROTOBUF};stream=watch`;
  return framed(await rawWatch(system, { path, accept, stream, ...(onStart === undefined ? {} : { onStart }) }));
}

function framed(bytes: Buffer): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const event = decodeProtobuf(EVENT, inEnvelope({ apiVersion: '', kind: '' }, bytes.subarray(at + 4, end)));
    const { raw } = event.object as { raw: string };
    events.push({ type: event.type as string, object: decodeProtobuf(kind.schema, Buffer.from(raw, 'base64')) });
    at = end;
  }
  return events;
}
