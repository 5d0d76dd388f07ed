import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Stage, TREASURE } from './stage.ts';

describe('A path that is written in an odd way', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
    await stage.allow([{ verbs: ['*'], apiGroups: [''], resources: ['configmaps', 'services', 'services/proxy'] }]);
  });
  after(() => stage?.close());

  const OWN = '/api/v1/namespaces/own';
  const paths = [
    `${OWN}/configmaps/..%2f..%2fkube-system%2fsecrets%2fsafe`,
    `${OWN}/configmaps/../../kube-system/secrets/safe`,
    `${OWN}/configmaps/%2e%2e/%2e%2e/kube-system/secrets/safe`,
    `${OWN}/configmaps/..;/..;/kube-system/secrets/safe`,
    `${OWN}/configmaps/..\\..\\kube-system\\secrets\\safe`,
    `${OWN}/configmaps/%5c..%5c..%5ckube-system%5csecrets%5csafe`,
    `${OWN}/configmaps/%252e%252e%252fkube-system%252fsecrets`,
    `${OWN}/configmaps/%c0%ae%c0%ae/%c0%ae%c0%ae/kube-system/secrets/safe`,
    `${OWN}/configmaps/x%00/../../../kube-system/secrets/safe`,
    `${OWN}%2f..%2fkube-system/secrets/safe`,
    '/api/v1/namespaces/own%2fsecrets/safe',
    '/api/v1/namespaces/own/../kube-system/secrets/safe',
    '/api/v1//namespaces/kube-system/secrets/safe',
    '//api/v1/namespaces/kube-system/secrets/safe',
    '/./api/v1/namespaces/kube-system/secrets/safe',
    '/api/v1/namespaces/kube-system/secrets/safe/',
    '/api/v1/namespaces/kube-system/secrets/safe?namespace=own',
    '/api/v1/namespaces/kube-system/secrets/safe#/api/v1/namespaces/own/configmaps',
    '/API/V1/namespaces/kube-system/secrets/safe',
    '/api/v1/namespaces/kube%2Dsystem/secrets/safe',
    '/api/v1/namespaces/kube-system/secrets/s%61fe',
    '/livez/../api/v1/namespaces/kube-system/secrets/safe',
    '/livez/%2e%2e/api/v1/namespaces/kube-system/secrets/safe',
    '/livez;/api/v1/namespaces/kube-system/secrets/safe',
    `${OWN}/services/x/proxy/../../../../kube-system/secrets/safe`,
    `${OWN}/services/x/proxy/%2e%2e/%2e%2e/%2e%2e/%2e%2e/kube-system/secrets/safe`,
    'https://localhost/api/v1/namespaces/kube-system/secrets/safe',
    '*',
  ];

  for (const path of paths) {
    for (const method of ['GET', 'DELETE']) {
      test(`leads to nothing that ${method} may not have: ${path}`, async () => {
        const { code, text } = await stage.rawly(method, path);
        assert.ok(code >= 400 && code < 600, `${code} ${text}`);
        assert.doesNotMatch(text, new RegExp(`${TREASURE}|${Buffer.from(TREASURE).toString('base64')}`));
      });
    }
  }

  test('has taken nothing away', async () => {
    assert.equal((await stage.client.get('/api/v1/namespaces/kube-system/secrets/safe')).code, 200);
  });
});
