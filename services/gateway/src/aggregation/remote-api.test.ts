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

/** A server that cannot be found, and what was written of it. */
function unreachable(clock = { now: 0 }) {
  const written: Verdict[] = [];
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
    write: async (_, verdict) => void written.push(verdict),
    changed: () => {},
    warn: () => {},
    report: () => {},
    now: () => clock.now,
  });
  after(() => remote.close());
  return { remote, written, looks: () => looks };
}

const settled = async () => {
  for (let i = 0; i < 20; i++) await turn();
};
const failed = { status: 'False', reason: 'FailedDiscoveryCheck', message: 'nowhere' } as const;

test('a failing server is tried several times before it is reported once as unavailable', async () => {
  const { remote, written, looks } = unreachable();
  await settled();
  assert.equal(looks(), 5);
  assert.deepEqual(written, [failed]);
  remote.set(apiService({ conditions: [{ type: 'Available', ...failed }] }));
  remote.touch();
  await settled();
  assert.deepEqual(written, [failed]);
  assert.equal(remote.isAvailable, false);
});

test('a server that another gateway reaches gets requests, although this gateway did not reach it', async () => {
  const { remote } = unreachable();
  await settled();
  remote.set(apiService({ conditions: [{ type: 'Available', status: 'True', reason: 'Passed' }] }));
  assert.equal(remote.isAvailable, true);
});

test('gateways that disagree correct the condition at most once in half a minute', async () => {
  const clock = { now: 0 };
  const { remote, written } = unreachable(clock);
  await settled();
  const others = apiService({ conditions: [{ type: 'Available', status: 'True', reason: 'Passed', message: '' }] });
  for (const now of [1000, 20_000, 29_000]) {
    clock.now = now;
    remote.set(others);
    await settled();
  }
  assert.equal(written.length, 1);
  clock.now = 31_000;
  remote.set(others);
  await settled();
  assert.equal(written.length, 2);
});

test('the result for one Service is not applied to the next', async () => {
  const { remote, written } = unreachable();
  await settled();
  remote.set(apiService({ resourceVersion: '2', remote: { ...SERVICE, name: 'other' }, conditions: [] }));
  assert.equal(remote.isAvailable, false);
  await settled();
  assert.equal(written.length, 2);
});

test('many failed requests cause one check', async () => {
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
