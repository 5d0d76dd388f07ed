import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@tidegate/service-kit';
import { serviceUnavailable } from '@tidegate/status';
import { type Guard, guardKind, outcomeKind, type WriteOutcome, writeKind } from '@tidegate/wire';
import { LiveViews } from '../live/live-views.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { Commits, refusal } from './commits.ts';

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

const configMaps = { group: '', resource: 'configmaps', namespaced: true };
const apples = { group: 'fruit.io', resource: 'apples', namespaced: true, custom: { definition: 'apples.fruit.io' } };
const lease: Guard = {
  kind: guardKind.live,
  key: { resource: 'leases.coordination.k8s.io', namespace: 'kube-system', name: 'garbage-collector' },
};

/** The code and message of the error of a write that was not committed. */
function refused(said: Partial<WriteOutcome>, entry: object = configMaps, fence?: Guard): [code: number, text: string] {
  const request = { kind: { entry }, fence } as unknown as ResourceRequest;
  const outcome = {
    kind: outcomeKind.guardFailed,
    revision: 0,
    currentUid: '',
    guard: 0,
    deleting: false,
    message: '',
  };
  const { code, message } = refusal(
    request,
    { resource: 'any', namespace: 'team', name: 'n' },
    { ...outcome, ...said },
  );
  return [code, message];
}

test('An object that exists already is a conflict, which says whether it is being deleted.', () => {
  assert.deepEqual(refused({ kind: outcomeKind.alreadyExists }), [409, 'configmaps "n" already exists']);
  assert.deepEqual(refused({ kind: outcomeKind.alreadyExists, deleting: true }), [
    409,
    'object is being deleted: configmaps "n" already exists',
  ]);
});

test('An object that has changed meanwhile is a conflict that asks the client to try again.', () => {
  assert.deepEqual(refused({ kind: outcomeKind.conflict }), [
    409,
    'Operation cannot be fulfilled on configmaps "n": the object has been modified; please apply your changes to the latest version and try again',
  ]);
});

test('An object with another UID is a conflict that contains its UID.', () => {
  assert.deepEqual(refused({ kind: outcomeKind.uidMismatch, currentUid: 'new' }), [
    409,
    'Operation cannot be fulfilled on configmaps "n": Precondition failed: UID in object meta: new',
  ]);
});

test('A write that may have been done is a timeout, after which the client must look.', () => {
  assert.deepEqual(refused({ kind: outcomeKind.unknown }), [
    504,
    'Timeout: the storage can no longer say whether the write was done',
  ]);
});

test('A write that the store could not do is unavailable, with the reason if the store has given one.', () => {
  assert.deepEqual(refused({ kind: outcomeKind.unavailable, message: 'the disk is full' }), [503, 'the disk is full']);
  assert.equal(refused({ kind: outcomeKind.unavailable })[1], 'the store cannot be reached, please try again');
});

test('A write that the store rejects is an internal error with its reason.', () => {
  assert.deepEqual(refused({ kind: outcomeKind.refused, message: 'too large' }), [
    500,
    'Internal error occurred: too large',
  ]);
});

test('An outcome that this gateway does not know is an internal error.', () => {
  assert.equal(refused({ kind: 99 as WriteOutcome['kind'] })[0], 500);
});

test('A missing namespace is not found, and nothing can be created in one that is terminating.', () => {
  assert.deepEqual(refused({}), [404, 'namespaces "team" not found']);
  assert.deepEqual(refused({ deleting: true }), [
    403,
    'configmaps "n" is forbidden: unable to create new content in namespace team because it is being terminated',
  ]);
});

test('A namespace that still contains objects is not removed.', () => {
  const namespaces = { group: '', resource: 'namespaces', namespaced: false };
  assert.deepEqual(refused({}, namespaces), [
    409,
    'Operation cannot be fulfilled on namespaces "n": the namespace still contains objects',
  ]);
});

test('A custom object cannot be created while its definition is terminating.', () => {
  const terminating = [405, 'create not allowed while custom resource definition is terminating'];
  assert.deepEqual(refused({ guard: 1 }, apples), terminating);
  assert.deepEqual(refused({ guard: 0 }, { ...apples, namespaced: false }), terminating);
  assert.deepEqual(refused({ guard: 0 }, apples), [404, 'namespaces "team" not found']);
});

test('A controller that has lost its lease gets a conflict, and other failed guards are still told apart.', () => {
  assert.deepEqual(refused({ guard: 0 }, apples, lease), [
    409,
    'Operation cannot be fulfilled on apples.fruit.io "n": the lease garbage-collector is held by another process by now',
  ]);
  assert.deepEqual(refused({ guard: 1 }, apples, lease), [404, 'namespaces "team" not found']);
  assert.equal(refused({ guard: 2 }, apples, lease)[0], 405);
});
