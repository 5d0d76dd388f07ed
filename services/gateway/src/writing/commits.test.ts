import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@tidegate/service-kit';
import { serviceUnavailable } from '@tidegate/status';
import { outcomeKind, type WriteOutcome, writeKind } from '@tidegate/wire';
import { LiveViews } from '../live/live-views.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { Commits } from './commits.ts';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const key = { resource: DEFINITIONS, namespace: '', name: 'n' };

function setUp(kind: WriteOutcome['kind'], through: () => Promise<void>) {
  const awaited: number[] = [];
  const met: unknown[] = [];
  const outcome: WriteOutcome = { kind, revision: 7, currentUid: '', guard: 0, deleting: false, message: '' };
  const live = new LiveViews(new Fault({ count: () => {}, begun: (error) => met.push(error), over: () => {} }));
  live.add({
    resource: DEFINITIONS,
    through: (revision) => {
      awaited.push(revision);
      return through();
    },
  });
  const commits = new Commits({ store: { write: async () => outcome }, live });
  const request = { kind: { storedAs: DEFINITIONS, entry: {} } } as unknown as ResourceRequest;
  return { awaited, met, write: () => commits.commit(request, { kind: writeKind.create, key }) };
}

test('A write is answered after its effects in this gateway are visible.', async () => {
  const { awaited, met, write } = setUp(outcomeKind.committed, async () => {});
  assert.equal((await write()).revision, 7);
  assert.deepEqual(awaited, [7]);
  assert.deepEqual(met, []);
});

test('A committed write does not fail when this gateway has not received the change yet.', async () => {
  const failure = serviceUnavailable('not current');
  const { met, write } = setUp(outcomeKind.committed, () => Promise.reject(failure));
  assert.equal((await write()).kind, outcomeKind.committed);
  assert.deepEqual(met, [failure]);
});

test('A write that was not committed waits for nothing.', async () => {
  const { awaited, write } = setUp(outcomeKind.conflict, async () => {});
  await write();
  assert.deepEqual(awaited, []);
});
