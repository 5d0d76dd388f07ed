import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { peerCertificates, startPostgres, type TestCertificates, type TestPostgres } from '@tidegate/testkit';
import { type ListPage, type Write, writeKind } from '@tidegate/wire';
import { freshDatabase, openStorage, type TestStorage, textValue, write } from '../../testing/fixture.ts';
import { spawnStore } from '../../testing/spawned-store.ts';

let postgres: TestPostgres;
let certificates: TestCertificates;

before(async () => {
  [postgres, certificates] = await Promise.all([
    startPostgres({ settings: { max_wal_size: '4GB', shared_buffers: '256MB' } }),
    peerCertificates(),
  ]);
});

after(async () => {
  await postgres?.stop();
  certificates?.remove();
});

const nameOf = (i: number) => `o${String(i).padStart(7, '0')}`;

async function fill(storage: TestStorage, from: number, to: number): Promise<void> {
  const text = randomBytes(400).toString('hex');
  const create = (i: number): Write =>
    write('create', { resource: 'many', namespace: 'n', name: nameOf(i) }, { value: textValue(text) });
  for (let i = from; i < to; i += 2000) {
    const writes = Array.from({ length: Math.min(2000, to - i) }, (_, j) => create(i + j));
    const outcomes = await storage.commits.submit(writes);
    assert.ok(outcomes.every((outcome) => outcome.kind === 0));
  }
}

/** The time within which 99 of 100 pages of 500 come, from places all over the collection. */
async function pageTime(storage: TestStorage, objects: number, revision: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const afterName = nameOf(Math.floor(((i * 7919) % 300) * ((objects - 500) / 300)));
    const begun = performance.now();
    let found = 0;
    const take = async (page: ListPage) => {
      found += page.objects.length;
    };
    await storage.lister.list({ resource: 'many', afterNamespace: 'n', afterName, limit: 500, revision }, take);
    times.push(performance.now() - begun);
    assert.ok(found >= 499, `${found} objects`);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] as number;
}

test('A page of 500 of a million objects takes at most three times as long as one of ten thousand.', async (context) => {
  const storage = await openStorage(await freshDatabase(postgres));
  try {
    await fill(storage, 0, 10_000);
    await storage.database.reads.query('VACUUM ANALYZE tidegate.objects');
    await pageTime(storage, 10_000, 0);
    const small = await pageTime(storage, 10_000, 0);
    const smallExact = await pageTime(storage, 10_000, (await storage.heads.read()).revision - 1);
    await fill(storage, 10_000, 1_000_000);
    const large = await pageTime(storage, 1_000_000, 0);
    // with almost a million changes behind it, an older revision has to be put together from the log
    context.diagnostic(`p99 of a page: ${small.toFixed(1)} ms of 10,000, ${large.toFixed(1)} ms of 1,000,000`);
    context.diagnostic(`at an exact revision: ${smallExact.toFixed(1)} ms of 10,000`);
    assert.ok(large <= 3 * small, `${large} ms against ${small} ms`);
  } finally {
    await storage.close();
  }
});

test('The memory of a store does not grow while it streams a list of a gigabyte.', async (context) => {
  const url = await freshDatabase(postgres);
  const storage = await openStorage(url);
  const value = textValue(randomBytes(512 << 10).toString('hex'));
  const count = 1024;
  for (let i = 0; i < count; i += 2) {
    const writes = [i, i + 1].map((n) => ({
      ...write('create', { resource: 'big', namespace: 'n', name: nameOf(n) }),
      kind: writeKind.create,
      value,
    }));
    await storage.commits.submit(writes);
  }
  await storage.close();
  const store = await spawnStore(certificates, url);
  const resident = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${store.pid}/status`, 'utf8'))?.[1]) / 1024;
  try {
    const before = resident();
    let most = before;
    let bytes = 0;
    for await (const page of store.stream<ListPage>('list', { resource: 'big' })) {
      for (const object of page.objects) bytes += object.value.length;
      most = Math.max(most, resident());
    }
    context.diagnostic(
      `${Math.round(bytes / 2 ** 20)} MiB streamed; ${Math.round(before)} MiB before, at most ${Math.round(most)} MiB`,
    );
    assert.ok(bytes >= count * 2 ** 20);
    assert.ok(most < before + 128, `${before} MiB before, ${most} MiB at most`);
  } finally {
    await store.end();
  }
});
