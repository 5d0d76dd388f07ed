import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection } from '@tidegate/collection';
import type { RuleAttributes } from '@tidegate/rbac';
import { type Revision, toRevision } from '@tidegate/revision';
import { PolicyMirror } from './policy-mirror.ts';

interface Kept {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly json: Buffer;
}

const ann = { name: 'ann', uid: '', groups: [] };
const get: RuleAttributes = { isResource: true, verb: 'get', group: '', resource: 'pods', subresource: '', name: 'x' };
const BINDINGS = 'rolebindings.rbac.authorization.k8s.io';
const ROLES = 'roles.rbac.authorization.k8s.io';

/** Mirrors that a test fills, and a store whose revision it sets. */
function fixture() {
  const followers = new Map<string, () => void>();
  const items = new Map<string, readonly Kept[]>();
  let through = 1;
  let head = 1;
  let now = 0;
  let changes = 0;
  let asked = 0;
  const collectionOf = (resource: string) =>
    ({
      through,
      snapshot: () => {
        const all = items.get(resource) ?? [];
        return { runs: () => [{ items: all, from: 0, to: all.length }] };
      },
    }) as unknown as Collection;
  const mirror = new PolicyMirror({
    mirrors: {
      keep: () => {},
      follow: (resource: string, changed: () => void) => void followers.set(resource, changed),
      peek: (resource: string) => collectionOf(resource),
      collection: async (resource: string, revision: Revision) =>
        through >= revision ? collectionOf(resource) : undefined,
    },
    store: {
      head: async () => {
        asked++;
        return toRevision(head);
      },
    },
    changed: () => {
      changes++;
    },
    now: () => now,
  });
  mirror.start();
  return {
    mirror,
    put(resource: string, name: string, content: object) {
      head++;
      through = head;
      const json = Buffer.from(JSON.stringify({ metadata: { name, namespace: 'a' }, ...content }));
      const others = (items.get(resource) ?? []).filter((one) => one.name !== name);
      items.set(resource, [...others, { namespace: 'a', name, revision: head, json }]);
      followers.get(resource)?.();
    },
    remove(resource: string) {
      items.delete(resource);
      followers.get(resource)?.();
    },
    lag: () => {
      head = through + 1;
    },
    pass: (ms: number) => {
      now += ms;
    },
    allowed: () => mirror.policy.decide(ann, 'a', get).allowed,
    get changes() {
      return changes;
    },
    get asked() {
      return asked;
    },
  };
}

const binding = {
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
  subjects: [{ kind: 'User', name: 'ann' }],
};
const reader = { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };

test('the policy follows changes and deletions in the mirrors', () => {
  const at = fixture();
  at.put(BINDINGS, 'b', binding);
  assert.ok(!at.allowed());
  at.put(ROLES, 'r', reader);
  assert.ok(at.allowed());
  at.put(ROLES, 'r', { rules: [] });
  assert.ok(!at.allowed());
  at.put(ROLES, 'r', reader);
  at.put(BINDINGS, 'b', { ...binding, subjects: [] });
  assert.ok(!at.allowed());
  at.put(BINDINGS, 'b', binding);
  at.remove(BINDINGS);
  assert.ok(!at.allowed());
  assert.equal(at.changes, 7);
});

test('roles are fresh for five seconds after all mirrors were complete through the revision of the store', async () => {
  const at = fixture();
  assert.ok(!at.mirror.isFresh);
  await at.mirror.latest();
  assert.ok(at.mirror.isFresh);
  at.pass(4999);
  assert.ok(at.mirror.isFresh);
  at.pass(1);
  assert.ok(!at.mirror.isFresh);
});

test('roles are not fresh when a mirror does not reach the revision of the store', async () => {
  const at = fixture();
  at.lag();
  await assert.rejects(at.mirror.latest(), { code: 503, message: /the current roles are not loaded yet/ });
  assert.ok(!at.mirror.isFresh);
});

test('callers of one turn share a request, and none joins a request that was already sent', async () => {
  const at = fixture();
  await Promise.all([at.mirror.latest(), at.mirror.latest()]);
  assert.equal(at.asked, 1);
  const first = at.mirror.latest();
  await Promise.resolve();
  const second = at.mirror.latest();
  await Promise.all([first, second]);
  assert.equal(at.asked, 3);
});

test('a write that the mirrors do not receive in time makes the roles stale until they receive it', async () => {
  const at = fixture();
  await at.mirror.latest();
  at.lag();
  const roles = at.mirror.views.find(({ resource }) => resource === ROLES);
  await assert.rejects(async () => roles?.through(toRevision(2)), { code: 503 });
  assert.ok(!at.mirror.isFresh);
  await at.mirror.seen(toRevision(1), 0);
  assert.ok(!at.mirror.isFresh, 'what the store had before is not enough');
  at.put(ROLES, 'r', reader);
  await at.mirror.latest();
  assert.ok(at.mirror.isFresh);
});
