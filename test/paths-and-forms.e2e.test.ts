import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { projectRoot } from '@tidegate/local';
import { until } from '@tidegate/testkit';
import { CERTIFICATE_REQUEST } from './support/certificate-request.ts';
import { type Client, configMap, MAPS } from './support/client.ts';
import { whyNoClone } from './support/git.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const RULED = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer' }, most: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: '!has(self.most) || self.size <= self.most' }],
    },
  },
};
const WIDGETS = '/apis/forms.example.com/v1/namespaces/default/widgets';

describe('Paths and formats of answers', () => {
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    system = await sharedSystem();
    client = system.client;
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: RULED } }];
    const spec = { group: 'forms.example.com', scope: 'Namespaced', names, versions };
    await client.request('POST', DEFINITIONS, { body: { metadata: { name: 'widgets.forms.example.com' }, spec } });
    await until('widgets to be served', async () => (await client.get(WIDGETS)).code === 200);
  });
  after(() => system?.stop());

  const NOT_FOUND = 'the server could not find the requested resource';
  const NOTHING: ReadonlyArray<readonly [method: string, path: string]> = [
    ['GET', '/api/v1/gadgets'],
    ['GET', '/api/v1/namespaces/default/gadgets/x'],
    ['GET', '/apis/apps/v1/gadgets'],
    ['GET', '/apis/forms.example.com/v1/gadgets'],
    ['GET', '/apis/forms.example.com/v1/namespaces/default/gadgets/x'],
    ['GET', '/apis/forms.example.com/v1/widgets/x'],
    ['PUT', '/apis/forms.example.com/v1/widgets/x'],
    ['GET', '/api/v1/namespaces/default/nodes'],
    ['GET', '/api/v1/namespaces/default/namespaces'],
    ['GET', '/api/v1/namespaces/default/namespaces/default'],
    ['DELETE', '/api/v1/namespaces/default/namespaces'],
    ['GET', '/api/v1/configmaps/x'],
    ['PUT', '/api/v1/configmaps/x'],
    ['DELETE', '/api/v1/configmaps/x'],
    ['GET', '/api/v1/pods/x/log'],
    ['GET', `${MAPS}/x/status`],
    ['GET', '/api/v1/nodes/x/gadget'],
  ];
  for (const [method, path] of NOTHING) {
    test(`${method} ${path} answers 404 with a Status.`, async () => {
      const { code, json } = await client.request(method, path, method === 'PUT' ? { body: configMap('x') } : {});
      assert.deepEqual([code, json.reason, json.message, json.details], [404, 'NotFound', NOT_FOUND, {}]);
    });
  }

  for (const [method, subresource] of [
    ['GET', 'status'],
    ['PUT', 'scale'],
    ['POST', 'gadget'],
  ] as const) {
    test(`${method} of ${subresource}, which the custom kind does not have, answers 404 as for an absent object.`, async () => {
      const { code, json } = await client.request(method, `${WIDGETS}/x/${subresource}`);
      assert.deepEqual([code, json.message], [404, 'widgets.forms.example.com "x" not found']);
    });
  }

  for (const path of ['/nowhere', '/apis/nowhere.example.com/v1/gadgets', '/api/v9/pods']) {
    test(`${path} answers 404 in plain text, because it is not a group version.`, async () => {
      const { code, text } = await client.get(path);
      assert.deepEqual([code, text], [404, '404 page not found\n']);
    });
  }

  test('A collection of all namespaces accepts neither DELETE nor POST.', async () => {
    await client.request('POST', MAPS, { body: configMap('kept') });
    for (const [method, path] of [
      ['DELETE', '/api/v1/configmaps'],
      ['DELETE', '/apis/forms.example.com/v1/widgets'],
      ['POST', '/apis/forms.example.com/v1/widgets'],
      ['POST', '/api/v1/configmaps'],
      ['PUT', MAPS],
      ['POST', `${MAPS}/x`],
    ] as const) {
      const reply = await client.request(method, path, { body: {} });
      assert.deepEqual([reply.code, reply.json.reason], [405, 'MethodNotAllowed'], `${method} ${path}`);
    }
    assert.equal((await client.get(`${MAPS}/kept`)).code, 200);
  });

  test('The root lists every path, and /api has the address of the server.', async () => {
    const { paths } = (await client.get('/')).json;
    for (const path of [
      '/api',
      '/api/v1',
      '/apis',
      '/apis/apps',
      '/apis/apps/v1',
      '/healthz',
      '/livez/ping',
      '/metrics',
    ])
      assert.ok(paths.includes(path), path);
    assert.ok(paths.includes('/apis/forms.example.com/v1'));
    assert.deepEqual(paths, paths.toSorted());
    const { host } = new URL(system.tidegate.server);
    assert.deepEqual((await client.get('/api')).json.serverAddressByClientCIDRs, [
      { clientCIDR: '0.0.0.0/0', serverAddress: host },
    ]);
  });

  test('The version contains the commit of the build and its date.', {
    skip: whyNoClone() ?? false,
  }, async () => {
    const { gitCommit, buildDate } = (await client.get('/version')).json;
    const commit = execFileSync('git', ['-C', projectRoot, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    assert.equal(gitCommit, commit);
    assert.match(buildDate, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test('A Table of a custom kind without columns has the default columns in each requested group and version.', async () => {
    await client.request('POST', WIDGETS, {
      body: { apiVersion: 'forms.example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 1 } },
    });
    const columns = async (group: string, path: string) => {
      const { json } = await client.get(path, { Accept: `application/json;as=Table;g=${group};v=v1` });
      return json.columnDefinitions.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`);
    };
    for (const path of [WIDGETS, `${WIDGETS}/w`]) {
      assert.deepEqual(await columns('meta.cluster.io', path), ['Name string', 'Created At date']);
      assert.deepEqual(await columns('meta.k8s.io', path), ['Name string', 'Age date']);
    }
  });

  test('A missing required field is reported, also when rules cannot be evaluated because of it.', async () => {
    const body = { apiVersion: 'forms.example.com/v1', kind: 'Widget', metadata: { name: 'x' }, spec: { most: 1 } };
    const { code, json } = await client.request('POST', WIDGETS, { body });
    assert.deepEqual([code, json.reason], [400, 'Invalid']);
    assert.ok(
      json.details.causes.some(
        ({ reason, field }: { reason: string; field: string }) =>
          reason === 'FieldValueRequired' && field === 'spec.size',
      ),
    );
  });

  test('The error for a body that cannot be decoded names the expected kind.', async () => {
    for (const body of ['apiVersion: v1\nkind: Pod', '{"a":', '[]', 'junk']) {
      const { code, json } = await client.request('POST', '/api/v1/namespaces', { body });
      assert.equal(code, 400);
      assert.match(json.message, /^the object provided is unrecognized \(must be of type Namespace\): /);
    }
  });

  test('A strategic merge patch that replaces a structure with a value is rejected with the message of Kubernetes.', async () => {
    await client.request('POST', MAPS, { body: configMap('patched') });
    const headers = { 'Content-Type': 'application/strategic-merge-patch+json' };
    const request = async (body: object) =>
      (await client.request('PATCH', `${MAPS}/patched`, { body, headers })).json.message;
    assert.match(await request({ metadata: { labels: 'invalid' } }), /cannot restore map from string$/);
    assert.match(await request({ metadata: { finalizers: {} } }), /cannot restore slice from map$/);
    assert.match(await request({ metadata: 5 }), /cannot restore struct from: int64$/);
  });

  test('A dry-run creation accepts an object with a resourceVersion, a real creation does not.', async () => {
    const body = { metadata: { name: 'tried', resourceVersion: '77' } };
    assert.equal((await client.request('POST', `${MAPS}?dryRun=All`, { body })).code, 201);
    assert.equal((await client.request('POST', MAPS, { body })).code, 500);
  });

  test('A TokenRequest with dry run returns no token.', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await client.request('POST', accounts, { body: { metadata: { name: 'robot' } } });
    const request = (query: string) =>
      client.request('POST', `${accounts}/robot/token${query}`, {
        body: { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} },
      });
    const tried = (await request('?dryRun=All')).json.status;
    assert.equal(tried.token, '');
    assert.match(tried.expirationTimestamp, /^20/);
    assert.match((await request('')).json.status.token, /^ey/);
  });

  test('A certificate request contains the whole identity of the impersonated user.', async () => {
    const spec = { request: CERTIFICATE_REQUEST, signerName: 'example.com/any', usages: ['client auth'] };
    const { code, json } = await client.request('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
      body: { metadata: { name: 'ann' }, spec },
      headers: {
        'Impersonate-User': 'ann',
        'Impersonate-Group': 'system:masters',
        'Impersonate-Extra-Key1': 'two pandas',
      },
    });
    assert.equal(code, 201);
    assert.deepEqual(json.spec.extra, { key1: ['two pandas'] });
  });
});
