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

function bench(kind: WriteOutcome['kind'], through: () => Promise<void>) {
  const asked: number[] = [];
  const met: unknown[] = [];
  const outcome: WriteOutcome = { kind, revision: 7, currentUid: '', guard: 0, deleting: false, message: '' };
  const live = new LiveViews(new Fault({ count: () => {}, begun: (error) => met.push(error), over: () => {} }));
  live.add({
    resource: DEFINITIONS,
    through: (revision) => {
      asked.push(revision);
      return through();
    },
  });
  const commits = new Commits({ store: { write: async () => outcome }, live });
  const request = { kind: { storedAs: DEFINITIONS, entry: {} } } as unknown as ResourceRequest;
  return { asked, met, write: () => commits.commit(request, { kind: writeKind.create, key }) };
}

test('The effects of a committed write in this gateway are there before the write is answered.', async () => {
  const { asked, met, write } = bench(outcomeKind.committed, async () => {});
  assert.equal((await write()).revision, 7);
  assert.deepEqual(asked, [7]);
  assert.deepEqual(met, []);
});

test('A committed write does not fail because this gateway has not heard of it.', async () => {
  const failure = serviceUnavailable('not as they are now');
  const { met, write } = bench(outcomeKind.committed, () => Promise.reject(failure));
  assert.equal((await write()).kind, outcomeKind.committed);
  assert.deepEqual(met, [failure]);
});

test('Nothing is waited for where nothing was written.', async () => {
  const { asked, write } = bench(outcomeKind.conflict, async () => {});
  await write();
  assert.deepEqual(asked, []);
});
