import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Cluster, startCluster, until } from '@tidegate/testkit';
import { Client, MAPS } from '../support/client.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const BINDINGS = `${RBAC}/clusterrolebindings`;
const GROUP = 'rbac.authorization.k8s.io';
const ANN = { 'Impersonate-User': 'ann' };

const role = {
  metadata: { name: 'reader' },
  rules: [
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] },
    { verbs: ['get'], nonResourceURLs: ['/version'] },
  ],
};
const binding = {
  metadata: { name: 'ann' },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'reader' },
  subjects: [{ kind: 'User', name: 'ann', apiGroup: GROUP }],
};

describe('Permissions with two gateways', () => {
  let cluster: Cluster;
  let first: Client;
  let second: Client;
  before(async () => {
    cluster = await startCluster({ replicas: 2, nats: false });
    [first, second] = cluster.endpoints.map((endpoint) => new Client(endpoint)) as [Client, Client];
    const made = await first.request('POST', `${RBAC}/clusterroles`, { body: role });
    assert.equal(made.code, 201, made.text);
  });
  after(async () => {
    first?.close();
    second?.close();
    await cluster?.stop();
  });

  test('A grant takes effect at both gateways at once; a revocation at the writing gateway at once and at the other soon.', async () => {
    for (let round = 0; round < 20; round++) {
      assert.equal((await first.request('POST', BINDINGS, { body: binding })).code, 201);
      for (const gateway of [first, second]) assert.equal((await gateway.get(MAPS, ANN)).code, 200);
      const watch = await second.watch(`${MAPS}?watch=1`, ANN);
      assert.equal((await first.request('DELETE', `${BINDINGS}/ann`)).code, 200);
      assert.equal((await first.get(MAPS, ANN)).code, 403);
      await until('the other gateway to deny the request', async () => (await second.get(MAPS, ANN)).code === 403);
      assert.equal((await watch.rest()).at(-1)?.object.code, 403);
    }
  });

  test('Requests are answered with 503 while a gateway cannot confirm current roles, and are served again afterwards.', async () => {
    assert.equal((await first.request('POST', BINDINGS, { body: binding })).code, 201);
    assert.equal((await second.get('/version', ANN)).code, 200);
    const stores = [...cluster.parts].filter(([name]) => name.startsWith('store-')).map(([, part]) => part);
    for (const { pid } of stores) process.kill(pid, 'SIGSTOP');
    try {
      await until('the gateway to answer 503', async () => {
        const { code, headers } = await second.get('/version', ANN);
        return code === 503 && headers['retry-after'] === '1';
      });
      assert.equal((await second.get('/version')).code, 200, 'system:masters needs no roles');
      assert.equal((await second.get('/livez', ANN)).code, 200, 'health checks need no roles');
    } finally {
      for (const { pid } of stores) process.kill(pid, 'SIGCONT');
    }
    await until('requests to be served again', async () => (await second.get('/version', ANN)).code === 200);
  });
});
