import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startTidegate, type TestTidegate } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('The gateway', () => {
  let tidegate: TestTidegate;
  let client: Client;
  before(async () => {
    ({ tidegate, client } = await sharedSystem(COMPLETE));
    await client.ask('POST', MAPS, { body: configMap('there') });
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  for (const path of ['/livez', '/readyz', '/healthz', '/version']) {
    test(`answers ${path} to everybody`, async () => {
      assert.equal((await client.ask('GET', path, { token: '' })).code, 200);
    });
  }

  test('answers what is below them to those that roles allow it, and to nobody else', async () => {
    const reply = await client.ask('GET', '/readyz/ping', { token: '' });
    assert.equal(reply.code, 403);
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.match(reply.json.message, /User "system:anonymous" cannot/);
  });

  for (const path of ['/api', '/apis', '/api/v1', '/metrics', '/openapi/v3', MAPS, '/nowhere']) {
    test(`asks for a name at ${path}`, async () => {
      const reply = await client.ask('GET', path, { token: '' });
      assert.deepEqual([reply.code, reply.json.reason, reply.json.message], [401, 'Unauthorized', 'Unauthorized']);
    });
  }

  test('refuses a token that nobody has', async () => {
    const reply = await client.ask('GET', '/version', { token: 'guessed' });
    assert.equal(reply.code, 401);
    assert.equal(reply.json.message, 'Unauthorized');
  });

  test('shows discovery to a user, and says which right an object would need', async () => {
    assert.equal((await client.ask('GET', '/api/v1', { token: 'ann-token' })).code, 200);
    const reply = await client.ask('GET', `${MAPS}/x`, { token: 'ann-token' });
    assert.equal(reply.code, 403);
    assert.equal(
      reply.json.message,
      'configmaps "x" is forbidden: User "ann" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    const watching = await client.ask('GET', `${MAPS}?watch=1`, { token: 'ann-token' });
    assert.match(watching.json.message, /cannot watch resource/);
  });

  test('knows the users of a token file beside its own administrator', async () => {
    assert.equal((await client.ask('GET', MAPS, { token: 'root-token' })).code, 200);
  });

  test('takes a client certificate of its authority for who it names', async () => {
    const options = {
      ca: readFileSync(tidegate.caFile),
      cert: readFileSync(join(tidegate.dataDir, 'certs', 'controllers.crt')),
      key: readFileSync(join(tidegate.dataDir, 'certs', 'controllers.key')),
      agent: false as const,
    };
    const code = await new Promise((resolve, reject) => {
      request(new URL(MAPS, tidegate.server), options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    assert.equal(code, 200);
  });

  test('takes who may stand in for others for whom they name, over both versions of HTTP', async () => {
    const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const as = { 'Impersonate-User': 'bob', 'Impersonate-Group': 'g' };
    const { code, json } = await client.ask('POST', REVIEWS, { body: {}, headers: as });
    assert.equal(code, 201);
    assert.deepEqual(json.status.userInfo, { username: 'bob', groups: ['g', 'system:authenticated'] });
    assert.equal((await client.get(MAPS, as)).code, 403, 'with the rights of bob alone');
    assert.equal((await client.get(MAPS, { 'Impersonate-Group': 'system:masters' })).code, 500);
    const session = connect(tidegate.server, { ca: readFileSync(tidegate.caFile) });
    const stream = session.request({
      authorization: `Bearer ${tidegate.token}`,
      'impersonate-user': 'bob',
      'impersonate-group': ['g', 'h'],
      ':method': 'POST',
      ':path': REVIEWS,
    });
    let text = '';
    stream.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    stream.end('{}');
    await new Promise((resolve) => stream.once('end', resolve));
    session.destroy();
    assert.deepEqual(JSON.parse(text).status.userInfo.groups, ['g', 'h', 'system:authenticated']);
  });

  test('speaks HTTP/2, with a watch and writes on one connection', async () => {
    const session = connect(tidegate.server, { ca: readFileSync(tidegate.caFile) });
    const headers = { authorization: `Bearer ${tidegate.token}` };
    const watch = session.request({
      ...headers,
      ':path': `${MAPS}?watch=1&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
    });
    const event = new Promise<string>((resolve) => watch.setEncoding('utf8').once('data', resolve));
    await new Promise((resolve) => watch.once('response', resolve));
    const post = session.request({ ...headers, ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' });
    post.end(JSON.stringify(configMap('over-h2')));
    const status = await new Promise((resolve) => post.once('response', (answer) => resolve(answer[':status'])));
    assert.equal(status, 201);
    assert.match(await event, /^{"type":"ADDED","object":{"kind":"ConfigMap"/);
    session.destroy();
  });

  const bad: ReadonlyArray<
    [what: string, method: string, path: string, body: unknown, type: string, code: number, message: RegExp]
  > = [
    [
      'a body that is not JSON',
      'POST',
      MAPS,
      '{"a":',
      'application/json',
      400,
      /couldn't parse the body of the request as JSON/,
    ],
    [
      'a body of an unknown type',
      'POST',
      MAPS,
      'x',
      'text/plain',
      415,
      /accepted media types include: application\/json/,
    ],
    ['a name that is not one', 'POST', MAPS, configMap('No_Name'), '', 422, /metadata.name: Invalid value: "No_Name"/],
    [
      'no name at all',
      'POST',
      MAPS,
      { data: {} },
      '',
      400,
      /metadata.name: Required value: name or generateName is required/,
    ],
    [
      'a field of a wrong type',
      'POST',
      MAPS,
      { metadata: { name: 'x' }, data: { a: 1 } },
      '',
      400,
      /cannot unmarshal number into Go struct field ConfigMap.data of type string/,
    ],
    [
      'an object of another kind',
      'POST',
      MAPS,
      { kind: 'Secret', metadata: { name: 'x' } },
      '',
      400,
      /does not match the expected kind/,
    ],
    ['a list of objects', 'POST', MAPS, { kind: 'ConfigMapList', items: [] }, '', 400, /one object for each request/],
    [
      'another namespace than the path',
      'POST',
      MAPS,
      configMap('x', {}, { namespace: 'other' }),
      '',
      400,
      /namespace of the provided object does not match/,
    ],
    [
      'a version on a creation',
      'POST',
      MAPS,
      configMap('x', {}, { resourceVersion: '5' }),
      '',
      500,
      /resourceVersion should not be set/,
    ],
    [
      'an unknown field where it is strict',
      'POST',
      `${MAPS}?fieldValidation=Strict`,
      { ...configMap('x'), datum: {} },
      '',
      400,
      /unknown field "datum"/,
    ],
    ['a method that does not fit', 'PUT', MAPS, configMap('x'), '', 405, /does not allow this method/],
    [
      'a match without a version',
      'GET',
      `${MAPS}?resourceVersionMatch=Exact`,
      undefined,
      '',
      422,
      /forbidden unless resourceVersion is provided/,
    ],
    ['a watch flag in an odd spelling', 'GET', `${MAPS}?watch=yes`, undefined, '', 400, /query parameter watch/],
    [
      'a place below a prototype, which is a key like any other and is not there',
      'PATCH',
      `${MAPS}/there`,
      [{ op: 'add', path: '/__proto__/x', value: 1 }],
      'application/json-patch+json',
      422,
      /desired path/,
    ],
  ];
  for (const [what, method, path, body, type, code, message] of bad) {
    test(`refuses ${what} with ${code} and says why`, async () => {
      const reply = await client.ask(method, path, {
        body,
        ...(type === '' ? {} : { headers: { 'Content-Type': type } }),
      });
      assert.equal(reply.code, code, reply.text);
      assert.equal(reply.json.kind, 'Status');
      assert.match(reply.json.message, message);
    });
  }

  test('refuses a body beyond 3 MiB with 413, and takes one of just under 1 MiB of data', async () => {
    const large = await client.ask('POST', MAPS, { body: configMap('large', { a: 'x'.repeat(3 << 20) }) });
    assert.equal(large.code, 413);
    assert.equal(large.json.reason, 'RequestEntityTooLarge');
    const fits = await client.ask('POST', MAPS, { body: configMap('fits', { a: 'x'.repeat((1 << 20) - 100) }) });
    assert.equal(fits.code, 201, fits.text.slice(0, 300));
    const read = await client.get(`${MAPS}/fits`);
    assert.equal(read.json.data.a.length, (1 << 20) - 100);
  });

  test('keeps a label and a key named like the prototype as what they are', async () => {
    const body = '{"metadata":{"name":"proto"},"data":{"__proto__":"own","constructor":"too"}}';
    const made = await client.ask('POST', MAPS, { body });
    assert.equal(made.code, 201, made.text);
    assert.ok(made.text.includes('"__proto__":"own"'), made.text);
    const merged = await client.ask('PATCH', `${MAPS}/proto`, {
      body: '{"data":{"__proto__":"changed"}}',
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    assert.ok(merged.text.includes('"__proto__":"changed"'), merged.text);
  });

  test('warns of unknown fields, and drops them', async () => {
    const reply = await client.ask('POST', MAPS, { body: { ...configMap('warned'), datum: {} } });
    assert.equal(reply.headers.warning, '299 - "unknown field \\"datum\\""');
    assert.equal(reply.json.datum, undefined);
  });

  test('serves a Table in the group that the client named', async () => {
    for (const group of ['meta.k8s.io', 'meta.cluster.io']) {
      const table = await client.get(MAPS, { Accept: `application/json;as=Table;g=${group};v=v1` });
      assert.deepEqual([table.json.kind, table.json.apiVersion], ['Table', `${group}/v1`]);
      assert.deepEqual(
        table.json.columnDefinitions.map((column: { name: string }) => column.name),
        ['Name', 'Data', 'Age'],
      );
    }
    assert.equal((await client.get(MAPS, { Accept: 'text/html' })).code, 406);
  });
});

test('An unknown feature gate stops the start with the nearest name', async () => {
  await assert.rejects(
    startTidegate({ args: ['--feature-gates=WatchLst=true'] }),
    /unknown feature gate WatchLst; did you mean WatchList\?/,
  );
});
