import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until, whyNoNats, whyNoSmallDisk } from '@tidegate/testkit';
import { configMap, MAPS } from './support/client.ts';
import { assertCacheServed, assertWritesRejected, checkOutage, untilReady } from './support/database-outage.ts';
import { countLogFaults, type SystemWithServers, startSystemWithServers } from './support/system-with-servers.ts';

const skip = whyNoSmallDisk() ?? (await whyNoNats()) ?? false;

/** Fills the disk to the last block; returns a function that frees the space. */
function fill(dir: string): () => void {
  const file = join(dir, 'taken');
  const { bavail, bsize } = statfsSync(dir);
  writeFileSync(file, Buffer.alloc(bavail * bsize));
  assert.equal(statfsSync(dir).bavail, 0);
  return () => rmSync(file);
}

/** Random data, because PostgreSQL compresses values. */
const large = (name: string) => configMap(name, { text: randomBytes(150_000).toString('base64') });

describe('A full data disk', { skip }, () => {
  let system: SystemWithServers;
  before(async () => {
    system = await startSystemWithServers({ smallDisk: { holds: 'data', mebibytes: 128 } });
  });
  after(() => system?.stop());

  test('Writes are rejected with the reason, reads continue, and writes work again when there is space.', async () => {
    const { client, database, tidegate, sql } = system;
    assert.equal((await client.request('POST', MAPS, { body: configMap('before') })).code, 201);
    const store = tidegate.pid('store');
    const release = fill(database.dir);
    const made: string[] = [];
    // tables have some free blocks
    await until('a write to fail', async () => {
      const name = `large-${made.length}`;
      const { code } = await client.request('POST', MAPS, { body: large(name) });
      if (code === 201) made.push(name);
      return code === 503;
    });
    await assertWritesRejected(client, /the storage has no room/, large('refused'));
    assert.equal((await client.get(`${MAPS}/before`)).code, 200);
    assert.equal((await client.get(MAPS)).json.items.length, made.length + 1);
    await assertCacheServed(client);
    release();
    assert.equal((await client.request('POST', MAPS, { body: large('after') })).code, 201);
    await untilReady(client);
    const names = (await client.get(MAPS)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    assert.deepEqual(names, ['after', 'before', ...made].sort());
    assert.deepEqual(await countLogFaults(sql), { gaps: 0, twice: 0 });
    assert.equal(tidegate.pid('store'), store, 'the process was not restarted');
  });
});

describe('A full disk of pg_wal', { skip }, () => {
  let system: SystemWithServers;
  before(async () => {
    // no checkpoint frees space before the disk is full
    const settings = { min_wal_size: '32MB', max_wal_size: '1GB' };
    system = await startSystemWithServers({ smallDisk: { holds: 'wal', mebibytes: 96 }, settings });
  });
  after(() => system?.stop());

  test('PostgreSQL stops, cached reads continue, and the system recovers when PostgreSQL is restarted with free space.', async () => {
    const { client, database, tidegate, sql } = system;
    assert.equal((await client.request('POST', MAPS, { body: configMap('before') })).code, 201);
    const store = tidegate.pid('store');
    const release = fill(join(database.dir, 'pg_wal'));
    const made: string[] = [];
    await until('PostgreSQL to stop', async () => {
      const name = `large-${made.length}`;
      const { code } = await client.request('POST', MAPS, { body: large(name) });
      if (code === 201) made.push(name);
      return code !== 201;
    });
    await checkOutage(client);
    release();
    await database.restart();
    await untilReady(client);
    const written = await client.request('POST', MAPS, { body: large('after') });
    assert.equal(written.code, 201, written.text);
    const names: string[] = (await client.get(MAPS)).json.items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    );
    const missing = ['after', 'before', ...made].filter((name) => !names.includes(name));
    assert.deepEqual(missing, []);
    assert.deepEqual(await countLogFaults(sql), { gaps: 0, twice: 0 });
    assert.equal(tidegate.pid('store'), store, 'the process was not restarted');
  });
});
