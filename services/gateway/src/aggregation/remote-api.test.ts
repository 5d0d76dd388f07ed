import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '@tidegate/testkit';
import type { ApiService } from './api-service.ts';
import { RemoteApi } from './remote-api.ts';
import type { RemoteTargets } from './remote-targets.ts';
import type { Verdict } from './verdict.ts';

const SERVICE = { namespace: 'a', name: 'fruit', port: 443, caBundle: '', insecure: false };

function apiService(change: Partial<ApiService> = {}): ApiService {
  const priority = { group: 1, version: 1 };
  const place = { name: 'v1.fruit.io', group: 'fruit.io', version: 'v1', resourceVersion: '1', priority };
  return { ...place, remote: SERVICE, conditions: [], ...change };
}

/** A server that cannot be found, and what was told of it. */
function unreachable(clock = { now: 0 }) {
  const told: Verdict[] = [];
  let looks = 0;
  const targets = {
    isConfigured: () => true,
    backend: () => {
      looks++;
      return Promise.reject(new Error('nowhere'));
    },
  } as unknown as RemoteTargets;
  const remote = new RemoteApi(apiService(), {
    targets,
    find: () => Promise.reject(new Error('nothing is mirrored')),
    tell: async (_, verdict) => void told.push(verdict),
    changed: () => {},
    warn: () => {},
    report: () => {},
    now: () => clock.now,
  });
  after(() => remote.close());
  return { remote, told, looks: () => looks };
}

const settled = async () => {
  for (let i = 0; i < 20; i++) await turn();
};
const failed = { status: 'False', reason: 'FailedDiscoveryCheck', message: 'nowhere' } as const;

test('a server that fails is asked several times before that is told, once', async () => {
  const { remote, told, looks } = unreachable();
  await settled();
  assert.equal(looks(), 5);
  assert.deepEqual(told, [failed]);
  remote.set(apiService({ conditions: [{ type: 'Available', ...failed }] }));
  remote.touch();
  await settled();
  assert.deepEqual(told, [failed]);
  assert.equal(remote.isAvailable, false);
});

test('a server that another gateway reaches is asked, although this one did not reach it', async () => {
  const { remote } = unreachable();
  await settled();
  remote.set(apiService({ conditions: [{ type: 'Available', status: 'True', reason: 'Passed' }] }));
  assert.equal(remote.isAvailable, true);
});

test('where gateways find different things, each sets it right once in half a minute and no more', async () => {
  const clock = { now: 0 };
  const { remote, told } = unreachable(clock);
  await settled();
  const others = apiService({ conditions: [{ type: 'Available', status: 'True', reason: 'Passed', message: '' }] });
  for (const now of [1000, 20_000, 29_000]) {
    clock.now = now;
    remote.set(others);
    await settled();
  }
  assert.equal(told.length, 1);
  clock.now = 31_000;
  remote.set(others);
  await settled();
  assert.equal(told.length, 2);
});

test('what is found of one Service is not told of the next', async () => {
  const { remote, told } = unreachable();
  await settled();
  remote.set(apiService({ resourceVersion: '2', remote: { ...SERVICE, name: 'other' }, conditions: [] }));
  assert.equal(remote.isAvailable, false);
  await settled();
  assert.equal(told.length, 2);
});

test('requests that did not reach it make one look, and not one each', async () => {
  const clock = { now: 0 };
  const { remote, looks } = unreachable(clock);
  await settled();
  const before = looks();
  for (let i = 0; i < 10; i++) remote.missed(new Error('away'));
  await settled();
  assert.equal(looks(), before);
  clock.now = 10_000;
  for (let i = 0; i < 10; i++) remote.missed(new Error('away'));
  await until('another look', () => looks() === before + 5);
});
