import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AttackTarget, SECRET_VALUE } from './attack-target.ts';

describe('Unusual spellings of paths', () => {
  let target: AttackTarget;
  before(async () => {
    target = await AttackTarget.open();
    await target.allow([{ verbs: ['*'], apiGroups: [''], resources: ['configmaps', 'services', 'services/proxy'] }]);
  });
  after(() => target?.close());

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
      test(`${method} ${path} gives no access to a forbidden object.`, async () => {
        const { code, text } = await target.requestRawPath(method, path);
        assert.ok(code >= 400 && code < 600, `${code} ${text}`);
        assert.doesNotMatch(text, new RegExp(`${SECRET_VALUE}|${Buffer.from(SECRET_VALUE).toString('base64')}`));
      });
    }
  }

  test('None of these requests deleted the object.', async () => {
    assert.equal((await target.client.get('/api/v1/namespaces/kube-system/secrets/safe')).code, 200);
  });
});
