import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Query } from '@tidegate/request-info';
import { serviceUnavailable } from '@tidegate/status';
import { accessOf, evaluateWithAccess } from '../admission/access.ts';
import { WebhookFailure } from '../callouts/webhook-calls.ts';
import { AccessWebhook } from './access-webhook.ts';
import { Authorizer } from './authorizer.ts';
import { modesOf, readModes } from './modes.ts';
import { Policy } from './policy.ts';
import { hypotheticalRequest } from './request-attributes.ts';

const ann = { name: 'ann', uid: '', groups: ['system:authenticated'] };
const get = hypotheticalRequest({ isResource: true, verb: 'get', resource: 'pods', name: 'x', namespace: 'a' });
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

test('a request that fresh roles allow does not wait', () => {
  const { authorizer, allow } = fixture();
  allow();
  assert.equal(authorizer.refusal(ann, get), undefined);
});

test('a request is refused only by current roles', async () => {
  const { authorizer, mirror, allow } = fixture();
  mirror.latest = async () => allow();
  assert.equal(await authorizer.refusal(ann, get), undefined);
});

test('stale roles allow no request: the current ones are loaded, and where that fails the answer is 503', async () => {
  const { authorizer, mirror, allow } = fixture({ isFresh: false });
  allow();
  mirror.latest = async () => {
    throw new Error('no store');
  };
  await assert.rejects(async () => authorizer.refusal(ann, get), { code: 503, message: /roles are not loaded/ });
  mirror.latest = async () => {
    throw serviceUnavailable('the store cannot be reached, please try again');
  };
  await assert.rejects(async () => authorizer.refusal(ann, get), { code: 503, message: /the store cannot/ });
});

test('members of system:masters and probes need no roles', () => {
  const { authorizer } = fixture({ isFresh: false });
  assert.equal(authorizer.refusal({ ...ann, groups: ['system:masters'] }, get), undefined);
  for (const path of ['/livez', '/readyz', '/healthz']) {
    assert.equal(
      authorizer.refusal(ann, hypotheticalRequest({ isResource: false, verb: 'get', path })),
      undefined,
      path,
    );
  }
  for (const [verb, path] of [
    ['get', '/readyz/store'],
    ['post', '/readyz'],
    ['head', '/livez'],
  ] as const) {
    assert.notEqual(
      authorizer.refusal(ann, hypotheticalRequest({ isResource: false, verb, path })),
      undefined,
      `${verb} ${path}`,
    );
  }
});

test('a list or watch by metadata.name is authorized for that name, a deletecollection is not', async () => {
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

test('AlwaysAllow allows everything, and without roles only system:masters is allowed', async () => {
  const anonymous = { name: 'system:anonymous', uid: '', groups: [] };
  assert.equal(fixture({ modes: ['AlwaysAllow'] }).authorizer.refusal(anonymous, get), undefined);
  const { authorizer, allow } = fixture({ modes: ['Node'] });
  allow();
  assert.equal((await authorizer.refusal(ann, get))?.code, 403);
});

function webhookThat(says: { allowed?: boolean; denied?: boolean; reason?: string } | undefined) {
  let asked = 0;
  const webhook = new AccessWebhook({
    name: 'hook',
    webhook: {
      ask: async () => {
        asked++;
        if (says === undefined) throw new WebhookFailure('it is away');
        return { kind: 'SubjectAccessReview', status: { allowed: false, ...says } };
      },
    },
    version: 'v1',
    authorizedMs: 1000,
    unauthorizedMs: 1000,
    onFailure: 'nothing',
    conditions: [],
    warn: () => {},
  });
  return { webhook, asked: () => asked };
}

async function verdict(steps: ReadonlyArray<string | AccessWebhook>, rolesAllow: boolean) {
  const { mirror, allow } = fixture();
  if (rolesAllow) allow();
  const authorizer = new Authorizer(modesOf(steps), mirror);
  const refused = await authorizer.refusal(ann, get);
  return { authorizer, said: refused === undefined ? 'allowed' : refused.message };
}

test('a webhook after RBAC is asked where roles do not allow, and its reason is reported', async () => {
  const yes = webhookThat({ allowed: true });
  assert.equal((await verdict(['RBAC', yes.webhook], true)).said, 'allowed');
  assert.equal(yes.asked(), 0);
  assert.equal((await verdict(['RBAC', yes.webhook], false)).said, 'allowed');
  const no = webhookThat({ reason: 'not today' });
  const { said } = await verdict(['RBAC', no.webhook], false);
  assert.match(said, /User "ann" cannot get resource "pods" .*: not today$/);
});

test('a webhook before RBAC can deny, or leave the decision to roles', async () => {
  const denies = webhookThat({ denied: true, reason: 'never' });
  const { said, authorizer } = await verdict([denies.webhook, 'RBAC'], true);
  assert.match(said, /: never$/);
  assert.deepEqual(await authorizer.decide(ann, get), { allowed: false, denied: true, reason: 'never' });
  assert.equal((await verdict([webhookThat({}).webhook, 'RBAC'], true)).said, 'allowed');
  assert.equal((await verdict([webhookThat(undefined).webhook, 'RBAC'], true)).said, 'allowed');
  assert.equal((await verdict([denies.webhook, 'AlwaysAllow'], false)).said.endsWith('never'), true);
});

test('a cached answer of a webhook decides at once, and a missing one is not guessed', async () => {
  const yes = webhookThat({ allowed: true });
  const { mirror } = fixture();
  const authorizer = new Authorizer(modesOf([yes.webhook]), mirror);
  assert.equal(authorizer.knownDecision(ann, get), undefined);
  assert.equal(authorizer.decideNow(ann, get).allowed, false);
  await authorizer.decide(ann, get);
  assert.equal(authorizer.refusal(ann, get), undefined);
  assert.equal(authorizer.recheck(ann, get), undefined);
});

test('stale roles allow no request behind a webhook either', async () => {
  const { mirror, allow } = fixture({ isFresh: false });
  allow();
  mirror.latest = async () => {
    throw new Error('no store');
  };
  const authorizer = new Authorizer(modesOf([webhookThat({}).webhook, 'RBAC']), mirror);
  await assert.rejects(async () => authorizer.refusal(ann, get), { code: 503 });
  const open = new Authorizer(modesOf([webhookThat({ allowed: true }).webhook, 'RBAC']), mirror);
  assert.equal(await open.refusal(ann, get), undefined, 'whom the webhook lets in does not wait for roles');
});

test('the rules of a user say that a webhook may allow more', () => {
  const { mirror } = fixture();
  const authorizer = new Authorizer(modesOf(['RBAC', webhookThat({}).webhook]), mirror);
  assert.match(authorizer.rulesFor(ann, 'a').missing, /webhook authorizer does not support user rule resolution/);
  assert.equal(authorizer.hasMoreThanRules, true);
});

test('an expression that checks access is evaluated again after a webhook has answered', async () => {
  const yes = webhookThat({ allowed: true });
  const { mirror } = fixture();
  const ask = accessOf(new Authorizer(modesOf([yes.webhook]), mirror), ann);
  let rounds = 0;
  const allowed = await evaluateWithAccess(() => {
    rounds++;
    return ['get', 'list'].every(
      (verb) => ask({ verb, resource: 'pods', group: '', subresource: '', namespace: '', name: '' }).allowed,
    );
  });
  assert.deepEqual([allowed, rounds, yes.asked()], [true, 3, 2]);
});
