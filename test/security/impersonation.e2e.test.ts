import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rawRequest, whoAmI } from '../support/raw-request.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

describe('Impersonation', () => {
  let system: RunningSystem;

  before(async () => {
    system = await sharedSystem();
    const rules = [
      { verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['carol'] },
      { verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: ['dev'] },
      { verbs: ['impersonate'], apiGroups: ['authentication.k8s.io'], resources: ['userextras/scopes'] },
    ];
    const subjects = [{ kind: 'User', apiGroup: GROUP, name: 'ann' }];
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'stand-in' };
    for (const [path, body] of [
      [`${RBAC}/clusterroles`, { metadata: { name: 'stand-in' }, rules }],
      [`${RBAC}/clusterrolebindings`, { metadata: { name: 'stand-in' }, subjects, roleRef }],
    ] as const)
      assert.equal((await system.client.request('POST', path, { body })).code, 201);
  });
  after(() => system?.stop());

  const as = async (token: string, ...headers: string[]) => {
    const info = await whoAmI(system.tidegate, { headers: ['Authorization', `Bearer ${token}`, ...headers] });
    return typeof info === 'number' ? info : `${info.username} ${info.groups.join()}`;
  };
  const carol = ['Impersonate-User', 'carol'];

  test('A permitted impersonation takes the identity of the other user and keeps none of the permissions of the client.', async () => {
    assert.equal(await as('ann-token', ...carol), 'carol system:authenticated');
    assert.equal(await as('ann-token', ...carol, 'Impersonate-Group', 'dev'), 'carol dev,system:authenticated');
    assert.equal(await as('bob-token', ...carol), 403);
    assert.equal(await as('ann-token', 'Impersonate-User', 'bob'), 403);
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const headers = ['Authorization', `Bearer ${system.tidegate.token}`, 'Impersonate-User', 'bob'];
    assert.equal((await rawRequest(system.tidegate, { path, headers })).code, 403);
  });

  test('Impersonating system users and groups requires a permission for exactly these names.', async () => {
    for (const group of ['system:masters', 'system:authenticated', 'system:nodes', 'Dev', 'dev '])
      assert.equal(
        typeof (await as('ann-token', ...carol, 'Impersonate-Group', group)) === 'number',
        group !== 'dev ',
        group,
      );
    assert.equal(await as('ann-token', 'Impersonate-User', 'system:admin'), 403);
    assert.equal(await as('ann-token', 'Impersonate-User', 'system:serviceaccount:kube-system:default'), 403);
    assert.equal(await as('ann-token', 'Impersonate-User', 'system:anonymous'), 403);
  });

  test('Each impersonated group requires a permission.', async () => {
    const groups = ['Impersonate-Group', 'dev', 'impersonate-group', 'system:masters'];
    assert.equal(await as('ann-token', ...carol, ...groups), 403);
    assert.equal(await as('ann-token', ...carol, 'Impersonate-Group', 'dev,system:masters'), 403);
  });

  test('Of several Impersonate-User headers only the first counts.', async () => {
    assert.equal(await as('ann-token', ...carol, 'Impersonate-User', 'root'), 'carol system:authenticated');
    assert.equal(await as('ann-token', 'Impersonate-User', 'root', ...carol), 403);
  });

  test('Impersonation headers without a user are rejected.', async () => {
    for (const headers of [
      ['Impersonate-Group', 'dev'],
      ['Impersonate-Uid', '1'],
      ['Impersonate-Extra-scopes', 'a'],
      ['Impersonate-User', '', 'Impersonate-Group', 'dev'],
    ])
      assert.equal(await as('ann-token', ...headers), 500, headers.join());
  });

  test('Impersonating a uid and each extra field requires a permission.', async () => {
    assert.equal(await as('ann-token', ...carol, 'Impersonate-Uid', '7'), 403);
    assert.equal(await as('ann-token', ...carol, 'Impersonate-Extra-Scopes', 'x'), 'carol system:authenticated');
    assert.equal(await as('ann-token', ...carol, 'Impersonate-Extra-other', 'x'), 403);
    assert.equal(await as('ann-token', ...carol, 'Impersonate-Extra-scopes%2fother', 'x'), 403);
    assert.equal(await as('ann-token', ...carol, 'Impersonate-Extra-__proto__', 'x'), 403);
  });

  test('Impersonation without valid credentials is rejected.', async () => {
    assert.equal(await as('nobodys-token', ...carol), 401);
    const { code } = await rawRequest(system.tidegate, { path: '/livez', headers: carol });
    assert.equal(code, 403, 'an anonymous request may not impersonate');
  });

  test('The error of a rejected impersonation names the authenticated user.', async () => {
    const headers = ['Authorization', 'Bearer bob-token', ...carol];
    const { json } = await rawRequest(system.tidegate, { path: '/version', headers });
    assert.match(json.message, /^users "carol" is forbidden: User "bob" cannot impersonate resource "users"/);
  });
});
