import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Row } from '@tidegate/database';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { type Guard, guardKind, outcomeKind, type Write } from '@tidegate/wire';
import { Vault } from '../../encryption/vault.ts';
import { freshDatabase, keyOf, live, openStorage, type TestStorage, write } from '../../testing/fixture.ts';
import type { Commit, SealedWrite } from './commit.ts';
import { commitBatch } from './commit-batch.ts';
import { commitOne, isSingle } from './commit-one.ts';

/**
 * The same writes, one after another, in two databases: each as a batch of one in the first, by itself in the second.
 * Both must return the same and leave the same rows.
 */
let postgres: TestPostgres;
let batches: TestStorage;
let singles: TestStorage;
const vault = new Vault();

before(async () => {
  postgres = await startPostgres();
  batches = await openStorage(await freshDatabase(postgres));
  singles = await openStorage(await freshDatabase(postgres));
  // as if older changes had been compacted
  for (const { database } of [batches, singles]) await database.commits.query('UPDATE tidegate.head SET floor = 3');
});

after(async () => {
  await batches?.close();
  await singles?.close();
  await postgres?.stop();
});

const TEAM = keyOf('team', '', 'namespaces');
const LEAVING = keyOf('leaving', '', 'namespaces');
const A = keyOf('a');
const none: Guard[] = [];
const empty = (name: string): Guard => ({ kind: guardKind.namespaceEmpty, key: keyOf(name, '', 'namespaces') });
const fence = (number: number): Guard => ({ kind: guardKind.fence, key: keyOf('none', '', ''), fence: number });
const unclaimed = (name: string): Guard => ({ kind: guardKind.unclaimed, key: keyOf(name, '', '') });
const at = (revision: number): Guard => ({ kind: guardKind.atRevision, key: A, fence: revision });

const seen = new Set<number>();
const selection = Buffer.from('{"labels":{"a":"b"},"fields":{}}');
const repeated = write('update', A, { value: Buffer.from('{"name":"repeated"}') });

/** In this order; the first revision is 2. */
const writes: ReadonlyArray<readonly [string, Write]> = [
  ['a create without a guard', write('create', TEAM)],
  ['a create of an object that is being deleted', write('create', LEAVING, { deleting: true })],
  ['a create in a live namespace', write('create', A, { guards: [live(TEAM)], selection, splice: 7 })],
  ['a create of an existing key', write('create', A, { guards: [live(TEAM)], uid: 'other' })],
  [
    'a create in a missing namespace',
    write('create', keyOf('b', 'no'), { guards: [live(keyOf('no', '', 'namespaces'))] }),
  ],
  [
    'a create in a namespace that is being deleted',
    write('create', keyOf('b', 'leaving'), { guards: [live(LEAVING)] }),
  ],
  ['a create of an existing key whose guard fails', write('create', A, { guards: [live(LEAVING)] })],
  [
    'a create with ties, claims and a lifetime',
    write('create', keyOf('c'), { ties: ['owner/1', 'blocks/1'], claims: ['ip/1'], lifetimeSeconds: 3600 }),
  ],
  [
    'a create with a claim that is taken',
    write('create', keyOf('d'), { claims: ['ip/1'], guards: [unclaimed('ip/1')] }),
  ],
  ['a create with a free claim', write('create', keyOf('d'), { claims: ['ip/2'], guards: [unclaimed('ip/2')] })],
  ['an update', repeated],
  ['the same update again', { ...repeated, sentAfter: 4 }],
  [
    'an update that was sent before the log begins',
    write('update', A, { sentAfter: 1, operationId: Buffer.alloc(16, 1) }),
  ],
  ['an update of the present revision', write('update', A, { expectedRevision: 7, deleting: true, uid: 'uid-new' })],
  ['an update of another revision', write('update', A, { expectedRevision: 5 })],
  ['an update of another uid', write('update', A, { expectedUid: 'uid-a' })],
  ['an update of the present uid', write('update', A, { expectedUid: 'uid-new', guards: [at(8)] })],
  ['an update whose guard fails', write('update', A, { guards: [at(8)] })],
  ['an update that changes ties', write('update', keyOf('c'), { ties: ['owner/2'] })],
  ['an update that removes ties and claims', write('update', keyOf('c'))],
  ['an update of a missing key', write('update', keyOf('missing'))],
  ['an update by a lease that is not held', write('update', A, { guards: [fence(3)] })],
  ['a delete of a namespace with contents', write('delete', TEAM, { guards: [empty('team')] })],
  ['a delete of an empty namespace', write('delete', LEAVING, { guards: [empty('leaving')] })],
  ['a delete of another revision', write('delete', A, { expectedRevision: 5 })],
  ['a delete', write('delete', A, { guards: none })],
  ['a delete of a missing key', write('delete', A)],
];

for (const [what, one] of writes) {
  test(`${what} has the same outcome and effect by itself as in a batch`, async () => {
    const sealed = sealedOf(one);
    assert.ok(isSingle([sealed]));
    const inBatch: Commit = await commitBatch(batches.database.commits, [sealed], false);
    const byItself: Commit = await commitOne(singles.database.commits, sealed, false);
    assert.deepEqual(byItself, inBatch);
    for (const { kind } of byItself.outcomes) seen.add(kind);
    assert.deepEqual(await contents(singles), await contents(batches));
  });
}

test('These writes have all outcomes that the database can give.', () => {
  const { committed, notFound, alreadyExists, conflict, uidMismatch, guardFailed, unknown } = outcomeKind;
  const all = [committed, notFound, alreadyExists, conflict, uidMismatch, guardFailed, unknown];
  assert.deepEqual(seen, new Set<number>(all));
});

test('Two writes, or a write with two guards, are a batch.', () => {
  const [first, second] = [write('create', keyOf('x')), write('create', keyOf('y'))].map(sealedOf);
  assert.equal(isSingle([first as SealedWrite, second as SealedWrite]), false);
  assert.equal(isSingle([sealedOf(write('create', keyOf('x'), { guards: [live(TEAM), at(1)] }))]), false);
  assert.equal(isSingle([]), false);
});

test('Single commits at the same time get different revisions, without gaps.', async () => {
  const [head] = await singles.database.reads.query('SELECT revision FROM tidegate.head');
  const next = (head?.[0] as number) + 1;
  const many = Array.from({ length: 20 }, (_, i) => sealedOf(write('create', keyOf(`many-${i}`))));
  const commits = await Promise.all(many.map((one) => commitOne(singles.database.reads, one, true)));
  const revisions = commits.map(({ last }) => last).sort((a, b) => a - b);
  assert.deepEqual(
    revisions,
    many.map((_, i) => next + i),
  );
});

function sealedOf(one: Write): SealedWrite {
  const parts = { value: one.value ?? new Uint8Array(), selection: one.selection ?? new Uint8Array() };
  return { write: one, sealed: vault.seal(one.key, parts) };
}

/** All rows, with times as whether there is one. */
async function contents({ database }: TestStorage): Promise<Row[][]> {
  const objects = `SELECT resource, namespace, name, uid, created, revision, splice, checksum, deleting,
    expires_at IS NOT NULL, selection, value, claims, ties FROM tidegate.objects ORDER BY 1, 2, 3`;
  const log = `SELECT revision, previous_revision, committed_at IS NOT NULL, operation_id, epoch, previous_splice, slot,
    kind, previous_deleting, resource, namespace, name, previous_uid, previous_selection, previous_value,
    previous_checksum, tied FROM tidegate.log ORDER BY revision`;
  const head = 'SELECT revision, floor, epoch FROM tidegate.head';
  return Promise.all([objects, log, head].map((text) => database.reads.query(text)));
}
