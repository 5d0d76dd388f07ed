import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type Watch } from './support/client.ts';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const GROUP = 'rbac.authorization.k8s.io';

function role(name: string, ...rules: object[]) {
  return { metadata: { name }, rules };
}

function binding(name: string, ref: string, user: string) {
  const [kind, roleName] = ref.split('/');
  const subjects = [{ kind: 'User', name: user, apiGroup: GROUP }];
  return { metadata: { name }, roleRef: { apiGroup: GROUP, kind, name: roleName }, subjects };
}

const MAPS_READER = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] };

describe('Authorization by roles', () => {
  let system: RunningSystem;
  let client: Client;
  let dir: string;
  const made = async (path: string, body: object) => {
    const reply = await client.request('POST', path, { body });
    assert.equal(reply.code, 201, reply.text);
  };
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidegate-authorization-'));
    system = await sharedSystem(COMPLETE);
    client = system.client;
    await made(ROLES, role('maps', MAPS_READER));
  });
  after(async () => {
    await system?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const code = async (path: string, token: string) => (await client.request('GET', path, { token })).code;

  test('Bindings take effect at once at the gateway that wrote them, when created and when deleted.', async () => {
    for (let round = 0; round < 20; round++) {
      assert.equal(await code(MAPS, 'bob-token'), 403);
      await made(BINDINGS, binding('bob', 'Role/maps', 'bob'));
      assert.equal(await code(MAPS, 'bob-token'), 200);
      assert.equal((await client.request('DELETE', `${BINDINGS}/bob`)).code, 200);
    }
  });

  test('A watch ends with 403 when its user loses the permission, and other watches continue.', async () => {
    await made(BINDINGS, binding('ann', 'Role/maps', 'ann'));
    await made(BINDINGS, binding('bob', 'Role/maps', 'bob'));
    const from = (await client.get(MAPS)).json.metadata.resourceVersion;
    const watch = (token: string): Promise<Watch> =>
      client.watch(`${MAPS}?watch=1&resourceVersion=${from}`, { Authorization: `Bearer ${token}` });
    const [ann, bob] = await Promise.all([watch('ann-token'), watch('bob-token')]);
    await made(MAPS, configMap('seen'));
    for (const one of [ann, bob]) assert.equal((await one.next()).object.metadata.name, 'seen');
    await client.request('DELETE', `${BINDINGS}/ann`);
    const [last, ...more] = await ann.rest();
    assert.deepEqual([last?.type, last?.object.code, last?.object.reason, more.length], ['ERROR', 403, 'Forbidden', 0]);
    assert.match(last?.object.message, /User "ann" cannot watch resource "configmaps"/);
    await made(MAPS, configMap('seen-by-bob'));
    assert.equal((await bob.next()).object.metadata.name, 'seen-by-bob');
    bob.close();
  });

  test('kubectl auth can-i works, also with impersonation.', { skip: whyNoKubectl() ?? false }, async () => {
    const can = async (...args: string[]) => {
      const { stdout } = await kubectl(system.tidegate.kubeconfig, ['auth', 'can-i', ...args], { HOME: dir });
      return stdout.trim();
    };
    assert.equal(await can('delete', 'nodes'), 'yes');
    assert.equal(await can('list', 'configmaps', '--as=bob'), 'yes');
    assert.equal(await can('delete', 'configmaps', '--as=bob'), 'no');
    assert.equal(await can('list', 'configmaps', '-n', 'kube-system', '--as=bob'), 'no');
    assert.equal(await can('get', '/version', '--as=bob'), 'yes');
    assert.equal(await can('get', '/metrics', '--as=bob'), 'no');
    const get = ['get', 'configmaps', '-n', 'kube-system', '--as=bob'];
    assert.match(
      (await kubectl(system.tidegate.kubeconfig, get, { HOME: dir })).stderr,
      /User "bob" cannot list resource/,
    );
  });

  test('An aggregated ClusterRole gains and loses the rules of matching ClusterRoles.', async () => {
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const rule = { verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] };
    await made(`${RBAC}/clusterroles`, { metadata: { name: 'widgets-view', labels }, rules: [rule] });
    const has = async (name: string) => {
      const { json } = await client.get(`${RBAC}/clusterroles/${name}`);
      return json.rules.some((one: typeof rule) => one.apiGroups?.includes('example.com')) as boolean;
    };
    for (const name of ['view', 'edit', 'admin']) await until(`${name} to gain the rule`, () => has(name));
    await client.request('DELETE', `${RBAC}/clusterroles/widgets-view`);
    for (const name of ['view', 'edit', 'admin'])
      await until(`${name} to lose the rule`, async () => !(await has(name)));
  });

  test('Members of system:masters need no roles, and other users may not impersonate them.', async () => {
    assert.equal((await client.get(MAPS)).code, 200);
    const as = {
      'Impersonate-User': 'admin',
      'Impersonate-Group': 'system:masters',
      Authorization: 'Bearer ann-token',
    };
    const reply = await client.get(MAPS, as);
    assert.equal(reply.code, 403);
    assert.match(reply.json.message, /User "ann" cannot impersonate resource "users"/);
  });

  test('Default roles and bindings are restored when a store starts, and unchanged ones are not written.', async () => {
    const versions = async () => {
      const { json } = await client.get(`${RBAC}/clusterroles`);
      const items = json.items as { metadata: { name: string; resourceVersion: string } }[];
      return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    };
    const path = `${RBAC}/clusterroles/system:basic-user`;
    const before = await versions();
    const own = { verbs: ['get'], apiGroups: [''], resources: ['nodes'] };
    const changed = await client.request('PATCH', path, {
      body: { rules: [own] },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    assert.equal(changed.code, 200, changed.text);
    assert.equal((await client.request('DELETE', `${RBAC}/clusterrolebindings/system:discovery`)).code, 200);
    const { tidegate } = system;
    process.kill(tidegate.pid('store'), 'SIGTERM');
    await until('the binding to be created again', async () => {
      return (await client.get(`${RBAC}/clusterrolebindings/system:discovery`)).code === 200;
    });
    await until('the rules of the role to be restored', async () => (await client.get(path)).json.rules.length > 1);
    assert.deepEqual((await client.get(path)).json.rules[0], own, 'rules that a user added are kept');
    const after = await versions();
    before.delete('system:basic-user');
    for (const [name, version] of before) assert.equal(after.get(name), version, name);
  });
});
