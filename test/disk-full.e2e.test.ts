import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until, whyNoNats, whyNoSmallDisk } from '@tidegate/testkit';
import { configMap, MAPS } from './support/client.ts';
import { faultsOfLog, type GivenServers, onGivenServers } from './support/given-servers.ts';
import { recovers, refusesWrites, servesCache, whileAway } from './support/while-away.ts';

const skip = whyNoSmallDisk() ?? (await whyNoNats()) ?? false;

/** Takes what is left, to the last block; answers what gives it back. */
function fill(dir: string): () => void {
  const file = join(dir, 'taken');
  const { bavail, bsize } = statfsSync(dir);
  writeFileSync(file, Buffer.alloc(bavail * bsize));
  assert.equal(statfsSync(dir).bavail, 0);
  return () => rmSync(file);
}

/** Random, because PostgreSQL compresses. */
const large = (name: string) => configMap(name, { text: randomBytes(150_000).toString('base64') });

describe('When the disk of the data is full', { skip }, () => {
  let system: GivenServers;
  before(async () => {
    system = await onGivenServers({ smallDisk: { holds: 'data', mebibytes: 128 } });
  });
  after(() => system?.stop());

  test('writes are refused and say why, reads go on, and writes work again when there is room', async () => {
    const { client, database, tidegate, sql } = system;
    assert.equal((await client.ask('POST', MAPS, { body: configMap('before') })).code, 201);
    const store = tidegate.pid('store');
    const release = fill(database.dir);
    const made: string[] = [];
    // tables have some blocks to spare
    await until('writes to find no room', async () => {
      const name = `large-${made.length}`;
      const { code } = await client.ask('POST', MAPS, { body: large(name) });
      if (code === 201) made.push(name);
      return code === 503;
    });
    await refusesWrites(client, /the storage has no room/, large('refused'));
    assert.equal((await client.get(`${MAPS}/before`)).code, 200);
    assert.equal((await client.get(MAPS)).json.items.length, made.length + 1);
    await servesCache(client);
    release();
    assert.equal((await client.ask('POST', MAPS, { body: large('after') })).code, 201);
    await recovers(client);
    const names = (await client.get(MAPS)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    assert.deepEqual(names, ['after', 'before', ...made].sort());
    assert.deepEqual(await faultsOfLog(sql), { gaps: 0, twice: 0 });
    assert.equal(tidegate.pid('store'), store, 'the same process');
  });
});

describe('When the disk of pg_wal is full', { skip }, () => {
  let system: GivenServers;
  before(async () => {
    // no checkpoint makes room before it is full
    const settings = { min_wal_size: '32MB', max_wal_size: '1GB' };
    system = await onGivenServers({ smallDisk: { holds: 'wal', mebibytes: 96 }, settings });
  });
  after(() => system?.stop());

  test('PostgreSQL stops, cached reads go on, and all recovers when it is started with room again', async () => {
    const { client, database, tidegate, sql } = system;
    assert.equal((await client.ask('POST', MAPS, { body: configMap('before') })).code, 201);
    const store = tidegate.pid('store');
    const release = fill(join(database.dir, 'pg_wal'));
    const made: string[] = [];
    await until('PostgreSQL to stop', async () => {
      const name = `large-${made.length}`;
      const { code } = await client.ask('POST', MAPS, { body: large(name) });
      if (code === 201) made.push(name);
      return code !== 201;
    });
    await whileAway(client);
    release();
    await database.restart();
    await recovers(client);
    const written = await client.ask('POST', MAPS, { body: large('after') });
    assert.equal(written.code, 201, written.text);
    const names: string[] = (await client.get(MAPS)).json.items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    );
    const missing = ['after', 'before', ...made].filter((name) => !names.includes(name));
    assert.deepEqual(missing, []);
    assert.deepEqual(await faultsOfLog(sql), { gaps: 0, twice: 0 });
    assert.equal(tidegate.pid('store'), store, 'the same process');
  });
});
