import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@tidegate/service-kit';
import { serviceUnavailable } from '@tidegate/status';
import { outcomeKind, type WriteOutcome, writeKind } from '@tidegate/wire';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { commit } from './commit.ts';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const key = { resource: DEFINITIONS, namespace: '', name: 'n' };

function bench(kind: WriteOutcome['kind'], through: () => Promise<void>) {
  const asked: string[] = [];
  const met: unknown[] = [];
  const part = (name: string) => ({
    through: () => {
      asked.push(name);
      return through();
    },
  });
  const outcome: WriteOutcome = { kind, revision: 7, currentUid: '', guard: 0, deleting: false, message: '' };
  const gateway = {
    store: { write: async () => outcome },
    unheardWrites: new Fault({ count: () => {}, begun: (error) => met.push(error), over: () => {} }),
    customKinds: part('definitions'),
    apiServices: part('API services'),
    admission: part('admission'),
    authorizer: part('authorization'),
    plugins: part('plugins'),
  } as unknown as Gateway;
  const request = { kind: { storedAs: DEFINITIONS, entry: {} } } as unknown as ResourceRequest;
  return { asked, met, write: () => commit(gateway, request, { kind: writeKind.create, key }) };
}

test('what a committed write changes in this gateway is so before the write is answered', async () => {
  const { asked, met, write } = bench(outcomeKind.committed, async () => {});
  assert.equal((await write()).revision, 7);
  assert.deepEqual(asked, ['definitions', 'admission', 'authorization', 'plugins']);
  assert.deepEqual(met, []);
});

test('a committed write does not fail because this gateway has not heard of it', async () => {
  const failure = serviceUnavailable('not as they are now');
  const { asked, met, write } = bench(outcomeKind.committed, () => Promise.reject(failure));
  assert.equal((await write()).kind, outcomeKind.committed);
  assert.equal(asked.length, 4);
  assert.deepEqual(met, [failure], 'the same reason is told once');
});

test('nothing is waited for where nothing was written', async () => {
  const { asked, write } = bench(outcomeKind.conflict, async () => {});
  await write();
  assert.deepEqual(asked, []);
});
