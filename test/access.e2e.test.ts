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
    await client.request('POST', MAPS, { body: configMap('there') });
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  for (const path of ['/livez', '/readyz', '/healthz', '/version']) {
    test(`${path} answers anonymous requests.`, async () => {
      assert.equal((await client.request('GET', path, { token: '' })).code, 200);
    });
  }

  test('Paths below the health endpoints are forbidden without a role.', async () => {
    const reply = await client.request('GET', '/readyz/ping', { token: '' });
    assert.equal(reply.code, 403);
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.match(reply.json.message, /User "system:anonymous" cannot/);
  });

  for (const path of ['/api', '/apis', '/api/v1', '/metrics', '/openapi/v3', MAPS, '/nowhere']) {
    test(`${path} rejects anonymous requests with 401.`, async () => {
      const reply = await client.request('GET', path, { token: '' });
      assert.deepEqual([reply.code, reply.json.reason, reply.json.message], [401, 'Unauthorized', 'Unauthorized']);
    });
  }

  test('An unknown token is rejected with 401.', async () => {
    const reply = await client.request('GET', '/version', { token: 'guessed' });
    assert.equal(reply.code, 401);
    assert.equal(reply.json.message, 'Unauthorized');
  });

  test('A user without roles can read discovery, and the error for an object names the missing permission.', async () => {
    assert.equal((await client.request('GET', '/api/v1', { token: 'ann-token' })).code, 200);
    const reply = await client.request('GET', `${MAPS}/x`, { token: 'ann-token' });
    assert.equal(reply.code, 403);
    assert.equal(
      reply.json.message,
      'configmaps "x" is forbidden: User "ann" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    const watching = await client.request('GET', `${MAPS}?watch=1`, { token: 'ann-token' });
    assert.match(watching.json.message, /cannot watch resource/);
  });

  test('Users of the token file are accepted in addition to the administrator.', async () => {
    assert.equal((await client.request('GET', MAPS, { token: 'root-token' })).code, 200);
  });

  test('A client certificate authenticates the user that it names.', async () => {
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

  test('A permitted impersonation works over HTTP/1.1 and HTTP/2.', async () => {
    const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const as = { 'Impersonate-User': 'bob', 'Impersonate-Group': 'g' };
    const { code, json } = await client.request('POST', REVIEWS, { body: {}, headers: as });
    assert.equal(code, 201);
    assert.deepEqual(json.status.userInfo, { username: 'bob', groups: ['g', 'system:authenticated'] });
    assert.equal((await client.get(MAPS, as)).code, 403, 'bob has no permission');
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

  test('A watch and writes can share an HTTP/2 connection.', async () => {
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
    ['an invalid name', 'POST', MAPS, configMap('No_Name'), '', 422, /metadata.name: Invalid value: "No_Name"/],
    [
      'a missing name',
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
    ['a list of objects', 'POST', MAPS, { kind: 'ConfigMapList', items: [] }, '', 400, /a request takes one object/],
    [
      'a namespace that differs from the path',
      'POST',
      MAPS,
      configMap('x', {}, { namespace: 'other' }),
      '',
      400,
      /namespace of the provided object does not match/,
    ],
    [
      'a creation with a resourceVersion',
      'POST',
      MAPS,
      configMap('x', {}, { resourceVersion: '5' }),
      '',
      500,
      /resourceVersion should not be set/,
    ],
    [
      'an unknown field with strict validation',
      'POST',
      `${MAPS}?fieldValidation=Strict`,
      { ...configMap('x'), datum: {} },
      '',
      400,
      /unknown field "datum"/,
    ],
    ['a method that is not allowed', 'PUT', MAPS, configMap('x'), '', 405, /does not allow this method/],
    [
      'a resourceVersionMatch without a resourceVersion',
      'GET',
      `${MAPS}?resourceVersionMatch=Exact`,
      undefined,
      '',
      422,
      /forbidden unless resourceVersion is provided/,
    ],
    ['an invalid value of watch', 'GET', `${MAPS}?watch=yes`, undefined, '', 400, /query parameter watch/],
    [
      'a patch path below __proto__, which does not exist',
      'PATCH',
      `${MAPS}/there`,
      [{ op: 'add', path: '/__proto__/x', value: 1 }],
      'application/json-patch+json',
      422,
      /desired path/,
    ],
  ];
  for (const [what, method, path, body, type, code, message] of bad) {
    test(`A request with ${what} is rejected with ${code} and a reason.`, async () => {
      const reply = await client.request(method, path, {
        body,
        ...(type === '' ? {} : { headers: { 'Content-Type': type } }),
      });
      assert.equal(reply.code, code, reply.text);
      assert.equal(reply.json.kind, 'Status');
      assert.match(reply.json.message, message);
    });
  }

  test('A body of more than 3 MiB is rejected with 413; data of almost 1 MiB is accepted.', async () => {
    const large = await client.request('POST', MAPS, { body: configMap('large', { a: 'x'.repeat(3 << 20) }) });
    assert.equal(large.code, 413);
    assert.equal(large.json.reason, 'RequestEntityTooLarge');
    const fits = await client.request('POST', MAPS, { body: configMap('fits', { a: 'x'.repeat((1 << 20) - 100) }) });
    assert.equal(fits.code, 201, fits.text.slice(0, 300));
    const read = await client.get(`${MAPS}/fits`);
    assert.equal(read.json.data.a.length, (1 << 20) - 100);
  });

  test('Keys named __proto__ and constructor are stored like other keys.', async () => {
    const body = '{"metadata":{"name":"proto"},"data":{"__proto__":"own","constructor":"too"}}';
    const made = await client.request('POST', MAPS, { body });
    assert.equal(made.code, 201, made.text);
    assert.ok(made.text.includes('"__proto__":"own"'), made.text);
    const merged = await client.request('PATCH', `${MAPS}/proto`, {
      body: '{"data":{"__proto__":"changed"}}',
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    assert.ok(merged.text.includes('"__proto__":"changed"'), merged.text);
  });

  test('Unknown fields are dropped with a warning.', async () => {
    const reply = await client.request('POST', MAPS, { body: { ...configMap('warned'), datum: {} } });
    assert.equal(reply.headers.warning, '299 - "unknown field \\"datum\\""');
    assert.equal(reply.json.datum, undefined);
  });

  test('A Table is served in the requested group.', async () => {
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

test('An unknown feature gate prevents the start, and the error suggests the closest known name.', async () => {
  await assert.rejects(
    startTidegate({ args: ['--feature-gates=WatchLst=true'] }),
    /unknown feature gate WatchLst; did you mean WatchList\?/,
  );
});
