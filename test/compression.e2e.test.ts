import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { until } from '@tidegate/testkit';
import { type Client, configMap, type Reply } from './support/client.ts';
import { maskTimes } from './support/mask-times.ts';
import { type RunningSystem, SMALL_LIMITS } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const GZIP = { 'Accept-Encoding': 'gzip' };
const NAMESPACES = ['large', 'small'];
const LARGE = '/api/v1/namespaces/large/configmaps';
const SMALL = '/api/v1/namespaces/small/configmaps';
/** A list of these objects consists of three segments, and pages of 130 and 301 objects of two and three. */
const COUNT = 320;

/** Decompresses the first gzip member, which must be the only one. */
function onlyMember(bytes: Buffer): string {
  const { buffer, engine } = inflateRawSync(bytes.subarray(10), { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  assert.equal(engine.bytesWritten, bytes.length - 18, 'bytes of one member');
  assert.deepEqual(gunzipSync(bytes), buffer);
  return buffer.toString();
}

async function fill(client: Client): Promise<void> {
  for (const name of NAMESPACES) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    assert.equal((await client.request('POST', '/api/v1/namespaces', { body })).code, 201);
  }
  const names = Array.from({ length: COUNT }, (_, i) => `x${1000 + i}`);
  for (let at = 0; at < COUNT; at += 50) {
    const made = names.slice(at, at + 50).map((name, i) => {
      const data = { text: 'word '.repeat(100), random: randomBytes(300).toString('base64') };
      return client.request('POST', LARGE, { body: configMap(name, data, { labels: { odd: String(i % 2) } }) });
    });
    for (const { code } of await Promise.all(made)) assert.equal(code, 201);
  }
  assert.equal((await client.request('POST', SMALL, { body: configMap('tiny') })).code, 201);
  assert.equal((await client.request('POST', SMALL, { body: configMap('big', { a: 'a'.repeat(100_000) }) })).code, 201);
}

describe('Response compression', () => {
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
    await fill(client);
  });
  after(() => system.stop());

  /** Requests the path with and without gzip, compares the contents, and returns the compressed answer. */
  const compressed = async (path: string, headers: Record<string, string> = {}): Promise<Reply> => {
    const plain = await client.get(path, headers);
    const reply = await client.get(path, { ...GZIP, ...headers });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(reply.headers['content-encoding'], 'gzip', path);
    for (const { headers } of [plain, reply]) assert.equal(headers.vary, 'Accept-Encoding');
    assert.ok(maskTimes(onlyMember(reply.bytes)) === maskTimes(plain.text), path);
    return reply;
  };

  const version = async () => (await client.get(LARGE)).json.metadata.resourceVersion as string;

  const FORMS = {
    whole: 'application/json',
    table: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    metadata: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    pretty: 'application/json;pretty=1',
  };
  for (const [form, accept] of Object.entries(FORMS)) {
    test(`A list is a single gzip member: ${form}.`, async () => {
      await compressed(`${LARGE}?resourceVersion=${await version()}`, { Accept: accept });
    });
  }

  test('Errors of gets and lists are compressed above the same size.', async () => {
    const long = 'x'.repeat(2000);
    const found = await compressed(`${SMALL}/${long}`);
    assert.equal(found.code, 404);
    assert.match(onlyMember(found.bytes), /"reason":"NotFound"/);
    const refused = await compressed(`${SMALL}?labelSelector=${long}!!`);
    assert.equal(refused.code, 400);
    const short = await client.get(`${SMALL}/absent`, GZIP);
    assert.equal(short.headers['content-encoding'], undefined);
    const change = await client.request('DELETE', `${SMALL}/${long}`, { headers: GZIP });
    assert.deepEqual([change.code, change.headers['content-encoding']], [404, undefined]);
  });

  test('Lists of all namespaces, selected lists and pages are compressed.', async () => {
    const at = `resourceVersion=${await version()}&resourceVersionMatch=Exact`;
    await compressed(`/api/v1/configmaps?${at}`);
    await compressed(`${LARGE}?${at}&labelSelector=odd%3D1`);
    for (const limit of [3, 130, 301]) {
      const first = await compressed(`${LARGE}?${at}&limit=${limit}`);
      const { metadata } = JSON.parse(onlyMember(first.bytes));
      await compressed(`${LARGE}?limit=${limit}&continue=${metadata.continue}`);
    }
  });

  test('A compressed list shows the latest changes.', async () => {
    for (let i = 0; i < 20; i++) {
      const name = `x${1000 + i * 15}`;
      if (i % 4 === 0) await client.request('DELETE', `${LARGE}/${name}`);
      else await client.request('PUT', `${LARGE}/${name}`, { body: configMap(name, { changed: String(i) }) });
      const [gzipped, plain] = [await client.get(LARGE, GZIP), await client.get(LARGE)];
      assert.deepEqual(JSON.parse(onlyMember(gzipped.bytes)).items, plain.json.items);
    }
  });

  test('Compressed lists are consistent during writes.', async () => {
    let writing = true;
    const writes = (async () => {
      for (let i = 0; writing; i++) {
        const name = `x${1000 + ((i * 7) % COUNT)}`;
        await client.request('PUT', `${LARGE}/${name}`, { body: configMap(name, { changed: String(i) }) });
      }
    })();
    const read = async () => {
      for (let i = 0; i < 10; i++) {
        const list = JSON.parse(onlyMember((await client.get(LARGE, GZIP)).bytes));
        const again = await client.get(
          `${LARGE}?resourceVersion=${list.metadata.resourceVersion}&resourceVersionMatch=Exact`,
        );
        assert.deepEqual(again.json, list);
      }
    };
    await Promise.all([read(), read(), read()]);
    writing = false;
    await writes;
  });

  test('An object of at least 1 KiB is compressed.', async () => {
    await compressed(`${SMALL}/big`);
    await compressed(`${LARGE}/x1003`);
    const tiny = await client.get(`${SMALL}/tiny`, GZIP);
    assert.equal(tiny.headers['content-encoding'], undefined);
    assert.equal(tiny.headers.vary, 'Accept-Encoding');
    assert.equal(tiny.json.metadata.name, 'tiny');
  });

  test('A client that accepts only gzip gets it for any size.', async () => {
    const reply = await client.get(`${SMALL}/tiny`, { 'Accept-Encoding': 'gzip, identity;q=0' });
    assert.equal(reply.headers['content-encoding'], 'gzip');
    assert.equal(JSON.parse(onlyMember(reply.bytes)).metadata.name, 'tiny');
  });

  test('A client that does not accept or prefer gzip does not get it.', async () => {
    for (const header of ['identity', 'gzip;q=0', 'br', 'gzip;q=0.2, identity;q=0.8']) {
      const reply = await client.get(`${SMALL}/big`, { 'Accept-Encoding': header });
      assert.equal(reply.headers['content-encoding'], undefined, header);
      assert.equal(reply.json.metadata.name, 'big');
    }
  });

  test('HEAD returns the headers without a body.', async () => {
    for (const path of [`${SMALL}/big`, LARGE]) {
      const reply = await client.request('HEAD', path, { headers: GZIP });
      assert.equal(reply.code, 200);
      assert.equal(reply.headers['content-encoding'], 'gzip');
      assert.equal(reply.bytes.length, 0);
    }
  });

  test('Answers to writes and watches are not compressed.', async () => {
    const put = await client.request('PUT', `${SMALL}/big`, {
      body: configMap('big', { a: 'b'.repeat(50_000) }),
      headers: GZIP,
    });
    assert.equal(put.headers['content-encoding'], undefined);
    assert.equal(put.headers.vary, undefined);
    const watch = await client.watch(`${SMALL}?watch=1`, GZIP);
    assert.equal((await watch.next()).type, 'ADDED');
    watch.close();
  });

  test('Compression works over HTTP/2.', async () => {
    const { tidegate } = system;
    const session = connect(tidegate.server, { ca: readFileSync(tidegate.caFile) });
    const stream = session.request({
      ':path': LARGE,
      'accept-encoding': 'gzip',
      authorization: `Bearer ${tidegate.token}`,
    });
    let encoding: unknown;
    stream.on('response', (headers) => {
      encoding = headers['content-encoding'];
    });
    const bytes = Buffer.concat(await stream.toArray());
    session.close();
    assert.equal(encoding, 'gzip');
    assert.deepEqual(JSON.parse(onlyMember(bytes)).items, (await client.get(LARGE)).json.items);
  });

  test('Aborted reads do not affect later answers.', async () => {
    const { tidegate } = system;
    const session = connect(tidegate.server, { ca: readFileSync(tidegate.caFile) });
    for (let i = 0; i < 5; i++) {
      const stream = session.request({
        ':path': LARGE,
        'accept-encoding': 'gzip',
        authorization: `Bearer ${tidegate.token}`,
      });
      await until('an answer', () => new Promise((resolve) => stream.once('response', () => resolve(true))));
      stream.destroy();
    }
    session.destroy();
    await compressed(`${LARGE}?resourceVersion=${await version()}`);
  });

  test('Clients that prefer zstd get it.', async () => {
    const zstd = { 'Accept-Encoding': 'gzip;q=0.5, zstd' };
    const metadataOnly = {
      Accept: 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    };
    for (const [path, headers] of [
      [`${SMALL}/big`, {}],
      [LARGE, {}],
      [`${LARGE}?limit=20`, {}],
      [LARGE, { Accept: 'application/vnd.kubernetes.protobuf' }],
      [LARGE, { Accept: 'application/yaml' }],
      [`${LARGE}?limit=100`, metadataOnly],
      ['/apis', {}],
    ] as const) {
      const plain = await client.get(path, headers);
      const reply = await client.get(path, { ...zstd, ...headers });
      assert.deepEqual([reply.code, reply.headers['content-encoding']], [200, 'zstd'], path);
      assert.match(String(reply.headers.vary), /Accept-Encoding/);
      const length = reply.headers['content-length'];
      if (length !== undefined) assert.equal(Number(length), reply.bytes.length);
      assert.equal(
        maskTimes(zstdDecompressSync(reply.bytes).toString('latin1')),
        maskTimes(plain.bytes.toString('latin1')),
        path,
      );
    }
    assert.equal((await client.get(LARGE, { 'Accept-Encoding': 'zstd, gzip' })).headers['content-encoding'], 'gzip');
  });

  test('A compressed request body is rejected with 415.', async () => {
    const body = gzipSync(JSON.stringify(configMap('packed')));
    for (const [coding, code] of [
      ['gzip', 415],
      ['zstd', 415],
      ['identity', 400],
    ] as const) {
      const reply = await client.request('POST', SMALL, { body, headers: { 'Content-Encoding': coding } });
      assert.equal(reply.code, code, reply.text);
    }
  });
});

test('The minimum size for compression is configurable.', async () => {
  const { client, stop } = await sharedSystem(SMALL_LIMITS);
  after(stop);
  const reply = await client.get('/api/v1/namespaces/default', GZIP);
  assert.equal(reply.headers['content-encoding'], 'gzip');
  assert.equal(JSON.parse(onlyMember(reply.bytes)).metadata.name, 'default');
});
