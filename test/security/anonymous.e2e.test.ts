import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rawRequest } from '../support/raw-request.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

describe('Anonymous requests', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const code = async (path: string, method = 'GET', headers: readonly string[] = []) =>
    (await rawRequest(system.tidegate, { path, method, headers })).code;

  for (const path of ['/livez', '/readyz', '/healthz', '/version', '/version/', '/livez?verbose']) {
    test(`${path} answers anonymous requests.`, async () => assert.equal(await code(path), 200));
  }

  for (const path of ['/livez/ping', '/readyz/store', '/healthz/log', '/version/x', '/livez/']) {
    test(`${path} is forbidden for anonymous users without a role.`, async () => assert.equal(await code(path), 403));
  }

  const authenticatedOnly = [
    '/',
    '/api',
    '/apis',
    '/api/v1',
    '/api/v1/namespaces',
    '/api/v1/namespaces/default/secrets',
    '/api/v1/namespaces/kube-public/configmaps/cluster-info',
    '/apis/apps/v1/deployments?watch=1',
    '/openapi/v2',
    '/openapi/v3',
    '/openid/v1/jwks',
    '/.well-known/openid-configuration',
    '/metrics',
    '/debug/pprof',
    '/logs',
    '/swagger.json',
    '/configz',
    '/statusz',
    '/flagz',
    '/nowhere',
    '//livez',
    '/%6civez',
    '/LIVEZ',
    '/livez%2f..%2fapi',
    '/livez/../api',
    '/livezz',
    '/api/v1/../../livez',
    '/?/livez',
  ];
  for (const path of authenticatedOnly) {
    test(`${path} rejects anonymous requests with 401.`, async () => assert.equal(await code(path), 401));
  }

  test('Anonymous writes and reviews are rejected.', async () => {
    for (const path of [
      '/api/v1/namespaces',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    ])
      assert.equal(await code(path, 'POST'), 401, path);
    for (const method of ['POST', 'PUT', 'HEAD']) assert.equal(await code('/livez', method), 403, method);
    assert.equal(await code('/version', 'DELETE'), 403);
  });

  test('A request with invalid credentials is rejected with 401 and not treated as anonymous.', async () => {
    for (const value of ['Bearer guessed', 'Basic YTpi', 'Bearer', 'nonsense'])
      assert.equal(await code('/livez', 'GET', ['Authorization', value]), 401, value);
  });
});
