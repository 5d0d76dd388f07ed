import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError } from '@tidegate/status';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { guardKind, outcomeKind, type Write, type WriteOutcome } from '@tidegate/wire';
import { freshDatabase, keyOf, live, openStorage, type TestStorage, write } from '../../testing/fixture.ts';
import { rotateLog } from '../log/head.ts';

let postgres: TestPostgres;
let storage: TestStorage;

before(async () => {
  postgres = await startPostgres();
  storage = await openStorage(await freshDatabase(postgres));
});

after(async () => {
  await storage.close();
  await postgres.stop();
});

async function submit(...writes: Write[]): Promise<WriteOutcome[]> {
  return storage.commits.submit(writes);
}

async function one(single: Write): Promise<WriteOutcome> {
  const [outcome] = await submit(single);
  return outcome as WriteOutcome;
}

async function read(name: string) {
  const [outcome] = await storage.reads.read([keyOf(name)]);
  return outcome?.object ?? undefined;
}

test('A created object is stored as it was sent, at the returned revision.', async () => {
  const value = Buffer.from('{"ä":"€ \u{1f600} \\u0000"}');
  const selection = Buffer.from('{"labels":{"a":"b"}}');
  const outcome = await one(write('create', keyOf('stored'), { value, selection, splice: 7, deleting: true }));
  assert.equal(outcome.kind, outcomeKind.committed);
  assert.deepEqual(await read('stored'), {
    key: keyOf('stored'),
    revision: outcome.revision,
    value,
    selection,
    splice: 7,
    uid: 'uid-stored',
    deleting: true,
    corrupt: '',
    stale: false,
  });
});

test('The writes of one message get revisions in their order, without gaps.', async () => {
  const outcomes = await submit(...['a1', 'a2', 'a3'].map((name) => write('create', keyOf(name))));
  const first = outcomes[0]!.revision;
  assert.deepEqual(
    outcomes.map((o) => [o.kind, o.revision]),
    [0, 1, 2].map((i) => [outcomeKind.committed, first + i]),
  );
});

test('Creating an existing key is ALREADY_EXISTS with the present uid and revision.', async () => {
  const { revision } = await one(write('create', keyOf('twice')));
  const outcome = await one(write('create', keyOf('twice'), { uid: 'other' }));
  assert.deepEqual(outcome, {
    kind: outcomeKind.alreadyExists,
    revision,
    currentUid: 'uid-twice',
    guard: 0,
    deleting: false,
    message: '',
  });
});

test('ALREADY_EXISTS reports whether the present object is being deleted.', async () => {
  await one(write('create', keyOf('leaving'), { deleting: true }));
  const outcome = await one(write('create', keyOf('leaving')));
  assert.deepEqual([outcome.kind, outcome.deleting], [outcomeKind.alreadyExists, true]);
});

for (const kind of ['update', 'delete'] as const) {
  test(`${kind} of a missing key is NOT_FOUND with revision 0`, async () => {
    const outcome = await one(write(kind, keyOf('missing')));
    assert.deepEqual([outcome.kind, outcome.revision], [outcomeKind.notFound, 0]);
  });

  test(`${kind} that expects another revision is a CONFLICT with the present one`, async () => {
    const { revision } = await one(write('create', keyOf(`conflict-${kind}`)));
    const outcome = await one(write(kind, keyOf(`conflict-${kind}`), { expectedRevision: revision - 1 }));
    assert.deepEqual([outcome.kind, outcome.revision], [outcomeKind.conflict, revision]);
    assert.equal((await read(`conflict-${kind}`))?.revision, revision);
  });

  test(`${kind} that expects another uid is a UID_MISMATCH with the present one`, async () => {
    await one(write('create', keyOf(`uid-${kind}`)));
    const outcome = await one(write(kind, keyOf(`uid-${kind}`), { expectedUid: 'before' }));
    assert.deepEqual([outcome.kind, outcome.currentUid], [outcomeKind.uidMismatch, `uid-uid-${kind}`]);
  });
}

test('An update with the expected revision replaces everything except the uid.', async () => {
  const { revision } = await one(write('create', keyOf('updated'), { selection: Buffer.from('{}') }));
  const value = Buffer.from('{"new":true}');
  const outcome = await one(write('update', keyOf('updated'), { value, splice: 4, expectedRevision: revision }));
  assert.deepEqual(await read('updated'), {
    key: keyOf('updated'),
    revision: outcome.revision,
    value,
    selection: Buffer.alloc(0),
    splice: 4,
    uid: 'uid-updated',
    deleting: false,
    corrupt: '',
    stale: false,
  });
});

test('A deleted key no longer exists.', async () => {
  await one(write('create', keyOf('deleted')));
  const outcome = await one(write('delete', keyOf('deleted'), { expectedUid: 'uid-deleted' }));
  assert.equal(outcome.kind, outcomeKind.committed);
  assert.equal(await read('deleted'), undefined);
});

test('A write that fails in a batch fails alone, and uses no revision.', async () => {
  await one(write('create', keyOf('present')));
  const outcomes = await submit(
    write('create', keyOf('b1')),
    write('create', keyOf('present')),
    write('update', keyOf('absent')),
    write('create', keyOf('b2')),
  );
  assert.deepEqual(
    outcomes.map((o) => o.kind),
    [outcomeKind.committed, outcomeKind.alreadyExists, outcomeKind.notFound, outcomeKind.committed],
  );
  assert.equal(outcomes[3]!.revision, outcomes[0]!.revision + 1);
});

test('A write that PostgreSQL cannot store is REFUSED alone; the other writes of its batch are committed.', async () => {
  const tooLong = 'x'.repeat(10_000).replace(/x/g, () => Math.random().toString(36).slice(2));
  const outcomes = await submit(
    write('create', keyOf('c1')),
    write('create', keyOf(tooLong)),
    write('create', keyOf('nul\0')),
    write('create', keyOf('c2')),
  );
  assert.deepEqual(
    outcomes.map((o) => o.kind),
    [outcomeKind.committed, outcomeKind.refused, outcomeKind.refused, outcomeKind.committed],
  );
  assert.match(outcomes[1]!.message, /index row/);
});

test('Names with SQL or array syntax are stored as names.', async () => {
  const names = ['quote"', 'back\\slash', "tick'", 'a,b', '{}', 'NULL', '', ' ', '"; drop table'];
  const outcomes = await submit(...names.map((name) => write('create', keyOf(name, 'odd'))));
  assert.ok(outcomes.every((o) => o.kind === outcomeKind.committed));
  const found = await storage.reads.read(names.map((name) => keyOf(name, 'odd')));
  assert.deepEqual(
    found.map((r) => r.object?.key.name),
    names,
  );
});

test('Writes to one key in one turn are executed one after the other.', async () => {
  const [created, updated, deleted] = await submit(
    write('create', keyOf('turn')),
    write('update', keyOf('turn')),
    write('delete', keyOf('turn')),
  );
  assert.deepEqual([created!.kind, updated!.kind, deleted!.kind], [0, 0, 0]);
  assert.ok(created!.revision < updated!.revision && updated!.revision < deleted!.revision);
});

test('Of two creates of one key in one turn one succeeds, and the other is ALREADY_EXISTS.', async () => {
  const outcomes = await Promise.all([one(write('create', keyOf('race'))), one(write('create', keyOf('race')))]);
  assert.deepEqual(outcomes.map((o) => o.kind).sort(), [outcomeKind.committed, outcomeKind.alreadyExists]);
});

test('A write with a guard on a live key is committed.', async () => {
  await one(write('create', keyOf('alive', '', 'namespaces')));
  const guards = [live(keyOf('alive', '', 'namespaces'))];
  assert.equal((await one(write('create', keyOf('guarded'), { guards }))).kind, outcomeKind.committed);
});

test('GUARD_FAILED names the first failed guard, and whether its key is being deleted.', async () => {
  await one(write('create', keyOf('fine', '', 'namespaces')));
  await one(write('create', keyOf('going', '', 'namespaces'), { deleting: true }));
  const fine = live(keyOf('fine', '', 'namespaces'));
  const going = live(keyOf('going', '', 'namespaces'));
  const absent = live(keyOf('absent', '', 'namespaces'));
  const outcomes = await submit(
    write('create', keyOf('g1'), { guards: [fine, absent, going] }),
    write('create', keyOf('g2'), { guards: [going] }),
    write('create', keyOf('g3'), { guards: [fine] }),
  );
  assert.deepEqual(
    outcomes.map((o) => [o.kind, o.guard, o.deleting]),
    [
      [outcomeKind.guardFailed, 1, false],
      [outcomeKind.guardFailed, 0, true],
      [outcomeKind.committed, 0, false],
    ],
  );
});

test('A create fails by its guard before its own key, and an update after it.', async () => {
  await one(write('create', keyOf('both')));
  const guards = [live(keyOf('absent', '', 'namespaces'))];
  const outcomes = await submit(
    write('create', keyOf('both'), { guards }),
    write('update', keyOf('not-there'), { guards }),
  );
  assert.deepEqual(
    outcomes.map((o) => o.kind),
    [outcomeKind.guardFailed, outcomeKind.notFound],
  );
});

test('NAMESPACE_EMPTY fails while any resource has an object in the namespace.', async () => {
  const namespace = keyOf('room', '', 'namespaces');
  await submit(write('create', namespace), write('create', keyOf('last', 'room', 'zebras')));
  const guards = [{ kind: guardKind.namespaceEmpty, key: namespace }];
  assert.equal((await one(write('delete', namespace, { guards }))).kind, outcomeKind.guardFailed);
  await one(write('delete', keyOf('last', 'room', 'zebras')));
  assert.equal((await one(write('delete', namespace, { guards }))).kind, outcomeKind.committed);
});

test('A create of the same turn makes a namespace not empty for its removal.', async () => {
  const namespace = keyOf('filled', '', 'namespaces');
  await one(write('create', namespace));
  const [created, removed] = await Promise.all([
    one(write('create', keyOf('x', 'filled'), { guards: [live(namespace)] })),
    one(write('delete', namespace, { guards: [{ kind: guardKind.namespaceEmpty, key: namespace }] })),
  ]);
  assert.deepEqual([created.kind, removed.kind], [outcomeKind.committed, outcomeKind.guardFailed]);
});

test('A repeated operation gets its recorded revision, and is not executed twice.', async () => {
  const create = write('create', keyOf('again'));
  const first = await one(create);
  await one(write('delete', keyOf('again')));
  const second = await one(create);
  assert.deepEqual([second.kind, second.revision], [outcomeKind.committed, first.revision]);
  assert.equal(await read('again'), undefined);
});

test('A late first attempt is not executed after its repetition.', async () => {
  const update = write('update', keyOf('late'), { value: Buffer.from('{"from":"the update"}') });
  await one(write('create', keyOf('late')));
  const repetition = await one(update);
  await one(write('update', keyOf('late'), { value: Buffer.from('{"from":"another"}') }));
  const late = await one(update);
  assert.equal(late.revision, repetition.revision);
  assert.equal((await read('late'))?.value.toString(), '{"from":"another"}');
});

test('With ten thousand waiting writes a message is rejected as a whole with 429.', async () => {
  const held = storage.commits.submit(Array.from({ length: 10_000 }, (_, i) => write('update', keyOf(`none-${i}`))));
  await assert.rejects(storage.commits.submit([write('create', keyOf('too-many'))]), { code: 429 });
  await held;
  assert.equal(await read('too-many'), undefined);
});

test('A write that is repeated after its change left the log is UNKNOWN, and not executed again.', async () => {
  const own = await openStorage(await freshDatabase(postgres));
  try {
    const lost = write('create', keyOf('lost'));
    const [done] = await own.commits.submit([lost]);
    const sentAfter = done!.revision - 1;
    assert.equal((await own.commits.submit([{ ...lost, sentAfter }]))[0]?.revision, done?.revision);
    await own.commits.submit([write('delete', keyOf('lost'))]);
    for (let slot = 0; slot < 9; slot++) {
      await own.commits.submit([write('create', keyOf(`later-${slot}`))]);
      await rotateLog(own.database.streams, 0);
    }
    assert.equal((await own.commits.submit([{ ...lost, sentAfter }]))[0]?.kind, outcomeKind.unknown);
    assert.equal((await own.reads.read([keyOf('lost')]))[0]?.found, false);
    const { revision } = await own.heads.read();
    const [fresh] = await own.commits.submit([{ ...lost, sentAfter: revision }]);
    assert.equal(fresh?.kind, outcomeKind.committed);
  } finally {
    await own.close();
  }
});

test('A full queue rejects writes, and the error has a retry time.', async () => {
  const many = Array.from({ length: 10_001 }, (_, i) => write('delete', keyOf(`none-${i}`)));
  const refused = await submit(...many).then(() => assert.fail(), ApiError.from);
  assert.deepEqual([refused.code, refused.status.details], [429, { retryAfterSeconds: 1 }]);
  assert.equal((await one(write('create', keyOf('next')))).kind, outcomeKind.committed);
});
