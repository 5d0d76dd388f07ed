import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Query } from '@tidegate/request-info';
import { serviceUnavailable } from '@tidegate/status';
import { Authorizer } from './authorizer.ts';
import { readModes } from './modes.ts';
import { Policy } from './policy.ts';
import { question } from './question.ts';

const ann = { name: 'ann', uid: '', groups: ['system:authenticated'] };
const get = question({ isResource: true, verb: 'get', resource: 'pods', name: 'x', namespace: 'a' });
const role = { kind: 'Role', namespace: 'a', name: 'r' };

function fixture({ isFresh = true, modes = ['RBAC'] } = {}) {
  const policy = new Policy();
  const binding = { namespace: 'a', name: 'b', role, subjects: [{ isGroup: false, key: 'ann', text: 'User "ann"' }] };
  const allow = (resourceNames: readonly string[] = []) => {
    const verbs = ['get', 'list', 'watch', 'deletecollection'];
    policy.setRole(role, [{ verbs, apiGroups: [''], resources: ['pods'], resourceNames }]);
  };
  policy.setRole(role, []);
  policy.addBinding(binding);
  const mirror = { policy, isFresh, latest: async () => {}, through: async () => {} };
  return { policy, mirror, allow, authorizer: new Authorizer(readModes(modes), mirror) };
}

test('what fresh roles allow is not waited for', () => {
  const { authorizer, allow } = fixture();
  allow();
  assert.equal(authorizer.refusal(ann, get), undefined);
});

test('nobody is refused before roles are known as they are now', async () => {
  const { authorizer, mirror, allow } = fixture();
  mirror.latest = async () => allow();
  assert.equal(await authorizer.refusal(ann, get), undefined);
});

test('nobody is let in by roles that may be old: they are asked for, and where that fails the answer is 503', async () => {
  const { authorizer, mirror, allow } = fixture({ isFresh: false });
  allow();
  mirror.latest = async () => {
    throw new Error('no store');
  };
  await assert.rejects(async () => authorizer.refusal(ann, get), { code: 503, message: /roles are not known/ });
  mirror.latest = async () => {
    throw serviceUnavailable('the store cannot be reached, please try again');
  };
  await assert.rejects(async () => authorizer.refusal(ann, get), { code: 503, message: /the store cannot/ });
});

test('members of system:masters and probes depend on nothing', () => {
  const { authorizer } = fixture({ isFresh: false });
  assert.equal(authorizer.refusal({ ...ann, groups: ['system:masters'] }, get), undefined);
  for (const path of ['/livez', '/readyz', '/healthz']) {
    assert.equal(authorizer.refusal(ann, question({ isResource: false, verb: 'get', path })), undefined, path);
  }
  assert.notEqual(
    authorizer.refusal(ann, question({ isResource: false, verb: 'get', path: '/readyz/store' })),
    undefined,
  );
});

test('a list or watch of one name is about that name, a deletion of many is not', async () => {
  const { authorizer, allow } = fixture();
  allow(['x']);
  const ask = async (verb: string, fieldSelector: string) => {
    const query = new Query(`fieldSelector=${encodeURIComponent(fieldSelector)}`);
    const refused = await authorizer.refusal(ann, { ...get, name: '', verb, query });
    return refused === undefined ? 'allowed' : refused.message.split(':')[0];
  };
  assert.equal(await ask('list', 'metadata.name=x'), 'allowed');
  assert.equal(await ask('watch', 'spec.nodeName=n,metadata.name==x'), 'allowed');
  assert.equal(await ask('list', 'metadata.name=y'), 'pods "y" is forbidden');
  assert.equal(await ask('list', 'metadata.name!=x'), 'pods is forbidden');
  assert.equal(await ask('list', 'metadata.name'), 'pods is forbidden');
  assert.equal(await ask('deletecollection', 'metadata.name=x'), 'pods is forbidden');
});

test('with AlwaysAllow everybody may do everything, and without roles nobody but system:masters anything', async () => {
  const nobody = { name: 'system:anonymous', uid: '', groups: [] };
  assert.equal(fixture({ modes: ['AlwaysAllow'] }).authorizer.refusal(nobody, get), undefined);
  const { authorizer, allow } = fixture({ modes: ['Node'] });
  allow();
  assert.equal((await authorizer.refusal(ann, get))?.code, 403);
});
