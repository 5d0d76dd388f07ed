import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { Client, MAPS } from '../support/client.ts';
import { type Cluster, startCluster } from './system/cluster.ts';

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

describe('A right that is given and taken at one gateway', () => {
  let cluster: Cluster;
  let here: Client;
  let there: Client;
  before(async () => {
    cluster = await startCluster({ replicas: 2, nats: false });
    [here, there] = cluster.endpoints.map((endpoint) => new Client(endpoint)) as [Client, Client];
    const made = await here.ask('POST', `${RBAC}/clusterroles`, { body: role });
    assert.equal(made.code, 201, made.text);
  });
  after(async () => {
    here?.close();
    there?.close();
    await cluster?.stop();
  });

  test('is so at once at that one and, where it is given, at the other; where it is taken, a moment later', async () => {
    for (let round = 0; round < 20; round++) {
      assert.equal((await here.ask('POST', BINDINGS, { body: binding })).code, 201);
      for (const gateway of [here, there]) assert.equal((await gateway.get(MAPS, ANN)).code, 200);
      const watch = await there.watch(`${MAPS}?watch=1`, ANN);
      assert.equal((await here.ask('DELETE', `${BINDINGS}/ann`)).code, 200);
      assert.equal((await here.get(MAPS, ANN)).code, 403);
      await until('the other gateway to refuse', async () => (await there.get(MAPS, ANN)).code === 403);
      assert.equal((await watch.rest()).at(-1)?.object.code, 403);
    }
  });

  test('is answered with 503 while nobody can say whether it still holds, and serves again afterwards', async () => {
    assert.equal((await here.ask('POST', BINDINGS, { body: binding })).code, 201);
    assert.equal((await there.get('/version', ANN)).code, 200);
    const stores = [...cluster.parts].filter(([name]) => name.startsWith('store-')).map(([, part]) => part);
    for (const { pid } of stores) process.kill(pid, 'SIGSTOP');
    try {
      await until('the gateway to say that it does not know', async () => {
        const { code, headers } = await there.get('/version', ANN);
        return code === 503 && headers['retry-after'] === '1';
      });
      assert.equal((await there.get('/version')).code, 200, 'system:masters depend on nothing');
      assert.equal((await there.get('/livez', ANN)).code, 200, 'nor does what a gateway says of itself');
    } finally {
      for (const { pid } of stores) process.kill(pid, 'SIGCONT');
    }
    await until('the right to hold again', async () => (await there.get('/version', ANN)).code === 200);
  });
});
