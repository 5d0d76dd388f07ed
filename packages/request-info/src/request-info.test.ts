import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestInfo } from './index.ts';

const cases: ReadonlyArray<[request: string, expected: string]> = [
  ['GET /api/v1/namespaces', 'list :v1 namespaces'],
  ['GET /api/v1/namespaces/a', 'get :v1 a/namespaces/a'],
  ['PUT /api/v1/namespaces/a/finalize', 'update :v1 a/namespaces/a/finalize'],
  ['GET /api/v1/namespaces/a/configmaps', 'list :v1 a/configmaps'],
  ['GET /api/v1/namespaces/a/configmaps?watch', 'watch :v1 a/configmaps'],
  ['GET /api/v1/namespaces/a/configmaps/b?watch=1', 'watch :v1 a/configmaps/b'],
  ['GET /api/v1/configmaps?watch=0', 'list :v1 configmaps'],
  ['GET /api/v1/watch/configmaps', 'watch :v1 configmaps'],
  ['DELETE /api/v1/namespaces/a/configmaps', 'deletecollection :v1 a/configmaps'],
  ['DELETE /api/v1/namespaces/a/configmaps/b', 'delete :v1 a/configmaps/b'],
  ['PATCH /apis/apps/v1/namespaces/a/deployments/b/scale', 'patch apps:v1 a/deployments/b/scale'],
  ['GET /api/v1/namespaces/a/pods/p/proxy/x/y', 'get :v1 a/pods/p/proxy/x/y'],
  ['PUT /api/v1/namespaces/a/pods/p:80/proxy/x%2Fy//z/?watch=maybe', 'update :v1 a/pods/p:80/proxy/x%2Fy/z/'],
  ['GET /api/v1/nodes/n/proxy/%zz/../../../../..', 'get :v1 nodes/n/proxy/'],
  ['HEAD /api/v1/nodes/n/proxy', 'get :v1 nodes/n/proxy'],
  ['POST /api/v1/namespaces/a/configmaps/proxy/', 'create :v1 a/configmaps/proxy'],
  ['GET /api/v1/namespaces/a/pods/p/log?watch=no', 'get :v1 a/pods/p/log'],
  ['GET /api/v1/', 'path get /api/v1/'],
  ['GET /livez', 'path get /livez'],
];

for (const [request, expected] of cases) {
  test(`${request} is ${expected}`, () => {
    const [method, url] = request.split(' ') as [string, string];
    const info = requestInfo(method, url);
    assert.ok(info);
    const target =
      [info.namespace, info.resource, info.name, info.subresource].filter((part) => part !== '').join('/') +
      info.subpath;
    assert.equal(
      info.isResource ? `${info.verb} ${info.group}:${info.version} ${target}` : `path ${info.verb} ${info.path}`,
      expected,
    );
  });
}

for (const path of [
  '/api/v1/namespaces/../secrets',
  '/api/v1/a%2fb',
  '/api//v1',
  '/api/v1/%00',
  '/api/v1/%zz',
  '/api/v1/%2e%2e/x',
]) {
  test(`${path} is not served`, () => assert.equal(requestInfo('GET', path), undefined));
}

test('an invalid watch flag is rejected, so that it cannot bypass authorization', () => {
  assert.throws(() => requestInfo('GET', '/api/v1/configmaps?watch=yes'), { code: 400 });
});
