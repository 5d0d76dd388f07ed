import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

interface ApiRequest {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly code?: number;
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const as = (form: string) => ({ Accept: `application/json;as=${form};g=meta.k8s.io;v=v1` });
const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };

/** All kinds of JSON answers, which kube-apiserver indents on request. */
const ANSWERS: Record<string, ApiRequest & { path: string }> = {
  'an object': { path: `${MAPS}/a` },
  'a list': { path: MAPS },
  'a page': { path: `${MAPS}?limit=1` },
  'a Table': { path: MAPS, headers: as('Table') },
  metadata: { path: `${MAPS}/a`, headers: as('PartialObjectMetadata') },
  'a dry run': { path: `${MAPS}?dryRun=All`, method: 'POST', body: configMap('b'), code: 201 },
  'a patch': {
    path: `${MAPS}/a?dryRun=All`,
    method: 'PATCH',
    body: {},
    headers: { 'Content-Type': 'application/merge-patch+json' },
  },
  'a deletion': { path: `${MAPS}/a?dryRun=All`, method: 'DELETE' },
  'a deletion of all': { path: `${MAPS}?dryRun=All`, method: 'DELETE' },
  'a review': {
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    method: 'POST',
    body: review,
    code: 201,
  },
  'not found': { path: `${MAPS}/none`, code: 404 },
  unauthenticated: { path: MAPS, token: 'nobody', code: 401 },
  forbidden: { path: MAPS, headers: { 'Impersonate-User': 'nobody' }, code: 403 },
  'no such method': { path: MAPS, method: 'PUT', body: {}, code: 405 },
  'a bad query': { path: `${MAPS}?limit=x`, code: 400 },
  '/api': { path: '/api' },
  '/apis': { path: '/apis' },
  'a group': { path: '/apis/apps' },
  'a version': { path: '/apis/apps/v1' },
  aggregated: { path: '/apis', headers: { Accept: AGGREGATED } },
};

describe('Indented JSON', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
    await client.request('POST', MAPS, { body: configMap('a', { k: 'v' }) });
  });
  after(() => system.stop());

  const request = async (
    { path, method = 'GET', code = 200, headers, ...rest }: ApiRequest & { path: string },
    agent = '',
  ) => {
    const all = { ...headers, ...(agent === '' ? {} : { 'User-Agent': agent }) };
    const reply: Reply = await client.request(method, path, { ...rest, headers: all });
    assert.equal(reply.code, code, reply.text);
    return reply.text;
  };
  const isIndented = (text: string) => {
    const [indented, plain] = [JSON.stringify(JSON.parse(text), null, 2), JSON.stringify(JSON.parse(text))];
    assert.ok(text.trimEnd() === indented || text.trimEnd() === plain, text.slice(0, 500));
    return text.trimEnd() === indented;
  };
  const withPretty = (path: string, pretty: string) => `${path}${path.includes('?') ? '&' : '?'}${pretty}`;

  for (const [name, apiRequest] of Object.entries(ANSWERS)) {
    test(`The answer is indented for curl and compact for kubectl by default: ${name}.`, async () => {
      for (const agent of ['curl/8.5.0', 'Wget/1.21', 'Mozilla/5.0 (X11; Linux x86_64)'])
        assert.ok(isIndented(await request(apiRequest, agent)), agent);
      for (const agent of ['kubectl/v1.35.0', 'my-curl/1', 'mozilla/5.0', ''])
        assert.ok(!isIndented(await request(apiRequest, agent)), agent);
      for (const off of ['pretty=false', 'pretty=0'])
        assert.ok(
          !isIndented(await request({ ...apiRequest, path: withPretty(apiRequest.path, off) }, 'curl/8.5.0')),
          off,
        );
      for (const on of ['pretty', 'pretty=1', 'pretty=true'])
        assert.ok(
          isIndented(await request({ ...apiRequest, path: withPretty(apiRequest.path, on) }, 'kubectl/v1.35.0')),
          on,
        );
    });
  }

  test('An invalid value of pretty is rejected, and the error is indented for curl only.', async () => {
    const path = withPretty(`${MAPS}/a`, 'pretty=maybe');
    assert.ok(isIndented(await request({ path, code: 400 }, 'curl/8.5.0')));
    assert.ok(!isIndented(await request({ path, code: 400 }, 'kubectl/v1.35.0')));
  });

  test('The version is always indented; OpenAPI, watches and YAML never are.', async () => {
    assert.ok(isIndented(await request({ path: '/version?pretty=0' }, 'kubectl/v1.35.0')));
    assert.ok(!isIndented(await request({ path: '/openapi/v3/apis/apps/v1' }, 'curl/8.5.0')));
    const watch = `${MAPS}?watch=1&timeoutSeconds=1&pretty=1`;
    for (const line of (await request({ path: watch }, 'curl/8.5.0')).split('\n').filter(Boolean)) JSON.parse(line);
    const headers = { Accept: 'application/yaml' };
    assert.equal(
      await request({ path: `${MAPS}/a`, headers }, 'curl/8.5.0'),
      await request({ path: `${MAPS}/a`, headers }),
    );
  });

  test('Parameters of Accept and Content-Type may be quoted.', async () => {
    const kindOf = async (Accept: string) => JSON.parse(await request({ path: MAPS, headers: { Accept } })).kind;
    assert.equal(await kindOf('application/json;as="Table";g="meta.k8s.io";v="v1"'), 'Table');
    assert.equal(await kindOf('application/json;x="a, b;c" ; as = "Table";g=meta.k8s.io;v=v1'), 'Table');
    assert.equal(await kindOf('text/x;a="b, application/yaml", application/json'), 'ConfigMapList');
    for (const type of ['application/json; charset="utf-8"', 'application/json;x="a;b, c"', 'Application/JSON;']) {
      const headers = { 'Content-Type': type };
      await request({ path: `${MAPS}?dryRun=All`, method: 'POST', body: configMap('b'), headers, code: 201 });
    }
    for (const type of [
      'application/json; x',
      'application/json; x="',
      'application/json;a=b;a=c',
      '"application/json"',
    ]) {
      const headers = { 'Content-Type': type };
      await request({ path: `${MAPS}?dryRun=All`, method: 'POST', body: configMap('b'), headers, code: 415 });
    }
  });
});
