import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { builtInRegistry, type Kind, kindOf, listSchema, metaSchemas } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { type BodyEncoding, ENCODINGS, type ObjectSchema, withoutZeros } from './support/body-encodings.ts';
import { type Client, MAPS, type Reply } from './support/client.ts';
import { maskTimesIn } from './support/mask-times.ts';
import { rawWatch } from './support/raw-watch.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const registry = builtInRegistry();
const kindIn = (group: string, resource: string) => registry.find(group, 'v1', resource) as Kind;
const maps = kindIn('', 'configmaps');
const META = 'g=meta.k8s.io;v=v1';
const FORMS = ['object', 'Table', 'PartialObjectMetadata'] as const;
type Form = (typeof FORMS)[number];

const INTO = ENCODINGS;
const OUT = ENCODINGS;
const short = ({ type }: BodyEncoding) => type.replace(/.*[./]/, '');
const acceptOf = ({ type }: BodyEncoding, form: Form) => (form === 'object' ? type : `${type};as=${form};${META}`);
const options: ObjectSchema = {
  type: 'object',
  fields: { preconditions: { type: 'object', number: 2, fields: { uid: { type: 'string', number: 1 } } } },
};

/** Masks times, and removes empty values from Tables, which Protobuf does not transmit. */
const same = (actual: JsonObject, expected: unknown, words: string) => {
  const plain = (value: unknown) => maskTimesIn(withoutZeros(value as JsonObject));
  assert.deepEqual(plain(actual), plain(expected), words);
};

describe('Every encoding of requests and answers with every verb', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(CBOR);
    ({ client } = system);
    for (const name of ['read', 'other']) await send('POST', MAPS, JSON_IN, mapOf(name), { schema: maps.schema });
  });
  after(() => system.stop());

  const JSON_IN = INTO[0] as BodyEncoding;
  const mapOf = (name: string, data: JsonObject = { text: 'ä😀: yes\n' }): JsonObject => {
    const metadata = { name, labels: { a: 'b' } };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data, binaryData: { bytes: 'AAEC' } };
  };

  const send = async (
    method: string,
    path: string,
    into: BodyEncoding,
    body: JsonObject,
    { schema, accept = 'application/json' }: { schema: ObjectSchema; accept?: string },
  ): Promise<Reply> => {
    const headers = { 'Content-Type': into.type, Accept: accept };
    const reply = await client.request(method, path, { body: into.write(body, schema), headers });
    assert.ok(reply.code < 300, `${method} ${path} in ${into.type} for ${accept}: ${reply.text}`);
    return reply;
  };

  /** Asserts that the decoded answer equals the JSON answer. */
  const assertSameAsJson = async (reply: Reply, out: BodyEncoding, form: Form, path: string, words: string) => {
    assert.equal(reply.headers['content-type'], out.type, words);
    const schema = form === 'PartialObjectMetadata' ? metaSchemas.partialObject : maps.schema;
    const { json } = await client.get(path, { Accept: acceptOf(JSON_IN, form) });
    same(out.read(reply.bytes, schema), json, words);
  };

  for (const into of INTO) {
    test(`Create, update and delete accept ${short(into)} and answer in every encoding.`, async () => {
      for (const out of OUT) {
        for (const form of FORMS) {
          const name = `${short(into)}-${short(out)}-${form.toLowerCase()}`;
          const path = `${MAPS}/${name}`;
          const accept = acceptOf(out, form);
          const made = await send('POST', MAPS, into, mapOf(name), { schema: maps.schema, accept });
          await assertSameAsJson(made, out, form, path, `create ${name}`);
          const { json } = await client.get(path);
          assert.deepEqual([json.data, json.binaryData], [mapOf(name).data, mapOf(name).binaryData], name);
          const changed = { ...json, data: { text: '2' } };
          const put = await send('PUT', path, into, changed, { schema: maps.schema, accept });
          await assertSameAsJson(put, out, form, path, `update ${name}`);
          assert.equal((await client.get(path)).json.data.text, '2');
          const { uid } = json.metadata;
          const wrong = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'another' } };
          const headers = { 'Content-Type': into.type, Accept: out.type };
          const kept = await client.request('DELETE', path, { body: into.write(wrong, options), headers });
          assert.equal(kept.code, 409, name);
          assert.equal(out.read(kept.bytes, metaSchemas.status).reason, 'Conflict');
          const right = { ...wrong, preconditions: { uid } };
          const gone = await send('DELETE', path, into, right, { schema: options, accept: out.type });
          assert.equal(gone.headers['content-type'], out.type);
          const { status, details } = out.read(gone.bytes, metaSchemas.status);
          assert.deepEqual([status, details], ['Success', { name, kind: 'configmaps', uid }]);
        }
      }
    });
  }

  test('Patches are JSON and are answered in every encoding.', async () => {
    const bodies: Record<string, unknown> = {
      'json-patch': [{ op: 'add', path: '/data/json', value: 'a' }],
      'merge-patch': { data: { merge: 'b' } },
      'strategic-merge-patch': { data: { strategic: 'c' } },
    };
    for (const [language, body] of Object.entries(bodies)) {
      for (const out of OUT) {
        for (const form of FORMS) {
          const headers = { 'Content-Type': `application/${language}+json`, Accept: acceptOf(out, form) };
          const reply = await client.request('PATCH', `${MAPS}/read`, { body, headers });
          assert.equal(reply.code, 200, reply.text);
          await assertSameAsJson(reply, out, form, `${MAPS}/read`, `${language} ${out.type} ${form}`);
        }
      }
    }
  });

  test('Gets and lists are answered in every encoding, with every includeObject of a Table.', async () => {
    for (const out of OUT) {
      for (const form of FORMS) {
        const partial = form === 'PartialObjectMetadata';
        const list = partial ? listSchema({ schema: metaSchemas.partialObject }) : listSchema(maps);
        for (const include of form === 'Table' ? ['', 'None', 'Metadata', 'Object'] : ['']) {
          const query = include === '' ? '' : `?includeObject=${include}`;
          const words = `${out.type} ${form} ${include}`;
          const one = await client.get(`${MAPS}/read${query}`, { Accept: acceptOf(out, form) });
          await assertSameAsJson(one, out, form, `${MAPS}/read${query}`, words);
          const many = await client.get(MAPS + query, { Accept: acceptOf(out, form) });
          assert.equal(many.headers['content-type'], out.type);
          const { json } = await client.get(MAPS + query, { Accept: acceptOf(JSON_IN, form) });
          const read = out.read(many.bytes, list) as { items?: JsonObject[]; rows?: Array<{ object?: JsonObject }> };
          if (form === 'Table') {
            same(read as JsonObject, json, words);
            const [row] = read.rows ?? [];
            const expected =
              include === 'Object' ? 'ConfigMap' : include === 'None' ? undefined : 'PartialObjectMetadata';
            assert.equal(row?.object?.kind, expected, words);
          } else same(untypedItems(read), untypedItems(json), words);
        }
      }
    }
  });

  test('Watches are sent in every encoding.', async () => {
    const streams = OUT.flatMap((out) => FORMS.map((form) => ({ out, form })));
    let begun = 0;
    const onStart = async () => {
      if (++begun < streams.length) return;
      await client.request('PATCH', `${MAPS}/read`, {
        body: { data: { watched: '1' } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      });
    };
    const path = `${MAPS}?watch=1&timeoutSeconds=4&fieldSelector=metadata.name%3Dread`;
    const all = await Promise.all(
      streams.map(async ({ out, form }) => {
        const bytes = await rawWatch(system, { path, accept: acceptOf(out, form), stream: out.stream, onStart });
        return out.events(bytes, form === 'PartialObjectMetadata' ? metaSchemas.partialObject : maps.schema);
      }),
    );
    for (const [i, { out, form }] of streams.entries()) {
      const words = `${out.type} ${form}`;
      const events = all[i] as Array<{ type: string; object: JsonObject }>;
      assert.deepEqual(
        events.map(({ type }) => type),
        ['ADDED', 'MODIFIED'],
        words,
      );
      const { object } = events[1] as { object: JsonObject };
      if (form !== 'Table')
        same(object, (await client.get(`${MAPS}/read`, { Accept: acceptOf(JSON_IN, form) })).json, words);
      else {
        assert.equal((object.rows as unknown[]).length, 1, words);
        const columns = events.map(({ object: { columnDefinitions } }) => Array.isArray(columnDefinitions));
        assert.deepEqual([columns, object.columnDefinitions], [[true, false], null], words);
      }
    }
  });

  test('Scale, token requests and evictions work in every encoding.', async () => {
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { a: 'b' };
    const containers = [{ name: 'c', image: 'i' }];
    const template = { metadata: { labels }, spec: { containers } };
    await client.request('POST', deployments, {
      body: { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } },
    });
    const core = '/api/v1/namespaces/default';
    await client.request('POST', `${core}/serviceaccounts`, { body: { metadata: { name: 'account' } } });
    const ownKind = (kind: Kind, name: string) => kindOf(kind.entry.subresources[name]?.entry as never);
    const scale = ownKind(kindIn('apps', 'deployments'), 'scale');
    const token = ownKind(kindIn('', 'serviceaccounts'), 'token');
    const eviction = ownKind(kindIn('', 'pods'), 'eviction');
    let replicas = 1;
    for (const into of INTO) {
      for (const out of OUT) {
        const words = `${into.type} ${out.type}`;
        const accept = out.type;
        const path = `${deployments}/d/scale`;
        const read = out.read((await client.get(path, { Accept: accept })).bytes, scale.schema);
        (read.spec as JsonObject).replicas = ++replicas;
        const scaled = await send('PUT', path, into, read, { schema: scale.schema, accept });
        assert.deepEqual(out.read(scaled.bytes, scale.schema).spec, { replicas }, words);

        const request = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds: 900 },
        };
        const issued = await send('POST', `${core}/serviceaccounts/account/token`, into, request, {
          schema: token.schema,
          accept,
        });
        const { status, spec } = out.read(issued.bytes, token.schema) as Record<string, JsonObject>;
        assert.match(String(status?.token), /^[\w-]+\.[\w-]+\.[\w-]+$/, words);
        assert.equal(spec?.expirationSeconds, 900);

        const name = `pod-${short(into)}-${short(out)}`;
        await client.request('POST', `${core}/pods`, { body: { metadata: { name }, spec: { containers } } });
        const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
        const evicted = await send('POST', `${core}/pods/${name}/eviction`, into, body, {
          schema: eviction.schema,
          accept,
        });
        assert.equal(out.read(evicted.bytes, metaSchemas.status).status, 'Success', words);
        assert.equal((await client.get(`${core}/pods/${name}`)).code, 404);
      }
    }
  });

  test('Malformed, too long and truncated bodies are rejected.', async () => {
    const broken: Record<string, Array<string | Buffer>> = {
      'application/json': ['', '{', '[]', 'null', '"text"', '{"metadata":{"name":"a"}} x'],
      'application/yaml': ['', 'a: [', '- a', 'text', '*a', 'a: &b {c: *b}', '---\n---\nmetadata: {name: b}\n'],
      'application/cbor': ['', 'text', ...hex('d9d9f7', 'a1', 'bbffffffffffffffff', '5bffffffffffffffff', '9f', '80')],
      [INTO[3]?.type as string]: [
        '',
        'k9s\0',
        ...hex('6b38730012', '6b38730012ff01', '6b38730012ffffffff0f', '6b387300120108', '6b3873000a7f'),
        ...hex('6b387300220a746578742f706c61696e'),
      ],
    };
    for (const [type, bodies] of Object.entries(broken)) {
      for (const body of bodies) {
        for (const path of [MAPS, `${MAPS}/read`]) {
          const method = path === MAPS ? 'POST' : 'PUT';
          const reply = await client.request(method, path, { body, headers: { 'Content-Type': type } });
          const words = `${type} ${Buffer.from(body).toString('hex')}: ${reply.text}`;
          assert.ok(reply.code >= 400 && reply.code < 500, words);
          assert.deepEqual(
            [reply.json.kind, reply.json.status, reply.json.code],
            ['Status', 'Failure', reply.code],
            words,
          );
        }
      }
      const largest = Buffer.alloc(3 << 20, 0x20);
      assert.notEqual(
        (await client.request('POST', MAPS, { body: largest, headers: { 'Content-Type': type } })).code,
        413,
      );
      const larger = Buffer.alloc((3 << 20) + 1, 0x20);
      const refused = await client.request('POST', MAPS, { body: larger, headers: { 'Content-Type': type } });
      assert.deepEqual([refused.code, refused.json.reason], [413, 'RequestEntityTooLarge'], type);
    }
  });
});

const hex = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'hex'));

/** Items of lists have their type in some encodings only. */
function untypedItems(list: { items?: JsonObject[] }): JsonObject {
  const items = (list.items ?? []).map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
  return { ...list, items };
}
