import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { temporaryDir, until, whyNoNats } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { tidegateCommand } from './support/command.ts';
import { FIRST_OBJECTS, type RunningSystem, runningSystem } from './support/running-system.ts';

const place = temporaryDir('backup');
after(() => place.remove());

async function mapsOf(client: Client, query = ''): Promise<Record<string, string>> {
  const { code, json } = await client.get(`${MAPS}${query}`);
  assert.equal(code, 200, JSON.stringify(json));
  const items = json.items as Array<{ metadata: { name: string }; data: { at: string } }>;
  return Object.fromEntries(items.map((item) => [item.metadata.name, item.data.at]));
}

const noNats = await whyNoNats();
/** the number of namespaces and ConfigMaps */
const IMPORTED = 2 + 63;

/** The tests depend on their order: the second system is imported into the first, which is then stopped and backed up. */
describe('Backup, restore and import of two systems', () => {
  const dataDir = join(place.path, 'with NATS');
  let withNats: RunningSystem;
  let withoutNats: RunningSystem;
  before(async () => {
    withNats = await runningSystem({ dataDir, args: noNats === undefined ? [] : ['--no-nats'] });
    withoutNats = await runningSystem({ args: ['--no-nats'] });
  });
  after(async () => {
    await withNats.stop();
    await withoutNats.stop();
  });

  for (const { title, system, skip } of [
    { title: 'with NATS', system: () => withNats, skip: noNats ?? false },
    { title: 'without NATS', system: () => withoutNats, skip: false },
  ]) {
    test(`A running system ${title} is restored from a backup, and watches and lists show the restored state.`, {
      skip,
    }, async () => {
      const { tidegate, client } = system();
      const file = join(place.path, `backup ${title}`);
      for (const name of ['kept', 'changed', 'deleted']) {
        await client.request('POST', MAPS, { body: configMap(name, { at: 'backup' }) });
      }
      const made = await tidegateCommand('backup', '--out', file, '--data-dir', tidegate.dataDir);
      assert.equal(made.code, 0, made.stderr);
      assert.match(
        made.stderr,
        new RegExp(`^backed up ${FIRST_OBJECTS + 3} objects \\(\\d+ KiB\\) at revision \\d+ to `, 'm'),
      );

      await client.request('PUT', `${MAPS}/changed`, { body: configMap('changed', { at: 'later' }) });
      await client.request('DELETE', `${MAPS}/deleted`);
      await client.request('POST', MAPS, { body: configMap('new', { at: 'later' }) });
      const stale = (await client.get(MAPS)).json.metadata.resourceVersion as string;
      assert.deepEqual(await mapsOf(client), { changed: 'later', kept: 'backup', new: 'later' });
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${stale}`);

      const rejected = await tidegateCommand('restore', file, '--data-dir', tidegate.dataDir);
      assert.equal(rejected.code, 1);
      assert.match(rejected.stderr, /^tidegate: the database holds .*: add --replace/m);
      assert.deepEqual(await mapsOf(client), { changed: 'later', kept: 'backup', new: 'later' });

      const restored = await tidegateCommand('restore', file, '--replace', '--data-dir', tidegate.dataDir);
      assert.equal(restored.code, 0, restored.stderr);
      assert.match(restored.stderr, new RegExp(`^restored ${FIRST_OBJECTS + 3} objects `, 'm'));

      // the watch ends without any further request
      const events = await watch.rest();
      assert.deepEqual(
        events.map(({ type, object }) => [type, object.code]),
        [['ERROR', 410]],
      );
      const state = { changed: 'backup', deleted: 'backup', kept: 'backup' };
      assert.equal((await client.get(`${MAPS}/changed`)).json.data.at, 'backup');
      assert.equal((await client.get(`${MAPS}/new`)).code, 404);
      assert.deepEqual(await mapsOf(client), state);
      await until('the mirror to be reloaded', async () => {
        const seen = await mapsOf(client, '?resourceVersion=0');
        return seen.deleted === 'backup' && !('new' in seen);
      });
      const old = await client.watch(`${MAPS}?watch=1&resourceVersion=${stale}`);
      if (old.code === 200) assert.equal((await old.next()).object.code, 410);
      else assert.equal(old.code, 410);

      const fresh = (await client.get(MAPS)).json.metadata.resourceVersion as string;
      assert.ok(BigInt(fresh) > BigInt(stale));
      const next = await client.watch(`${MAPS}?watch=1&resourceVersion=${fresh}`);
      assert.equal((await client.request('POST', MAPS, { body: configMap('after', { at: 'now' }) })).code, 201);
      assert.equal((await next.next()).object.metadata.name, 'after');
      next.close();
      await client.request('DELETE', MAPS);
    });
  }

  const run = (...args: string[]) =>
    tidegateCommand(
      'import',
      `--from-kubeconfig=${withoutNats.tidegate.kubeconfig}`,
      `--kubeconfig=${withNats.tidegate.kubeconfig}`,
      '--chunk-size=25',
      ...args,
    );

  test('An import copies owners before their dependents, and a second import copies nothing.', async () => {
    const [from, to] = [withoutNats.client, withNats.client];
    const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const name of ['team', 'other']) await from.request('POST', '/api/v1/namespaces', { body: namespace(name) });
    const maps = '/api/v1/namespaces/team/configmaps';
    for (let i = 0; i < 60; i++) await from.request('POST', maps, { body: configMap(`map-${i}`, { at: 'source' }) });
    const owner = (await from.get(`${maps}/map-7`)).json.metadata.uid as string;
    const owned = (name: string, uid: string) =>
      configMap(name, {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'map-7', uid }] });
    await from.request('POST', maps, { body: owned('an-owned-one', owner) });
    await from.request('POST', maps, { body: owned('an-orphan', 'gone') });
    await from.request('POST', '/api/v1/namespaces/other/configmaps', { body: configMap('elsewhere') });

    const dryRun = await run('--dry-run');
    assert.match(dryRun.stdout, /^configmaps +63 +0 +0 +0 +0$/m, dryRun.stdout + dryRun.stderr);
    assert.equal((await to.get('/api/v1/namespaces/team')).code, 404);

    const part = await run('--namespace', 'other');
    assert.match(part.stdout, /^configmaps +1 +0 +0 +0 +0\nnamespaces +1 +0 +0 +0 +0$/m, part.stdout + part.stderr);

    const all = await run();
    assert.equal(all.code, 0, all.stdout + all.stderr);
    assert.match(all.stdout, /^configmaps +62 +0 +1 +0 +0$/m);
    assert.match(all.stdout, /^namespaces +1 +0 +5 +0 +0$/m);
    assert.match(all.stdout, /^configmaps\/team\/an-orphan loses its owner ConfigMap map-7, which is not imported$/m);
    const copies = (await to.get(maps)).json.items as Array<{ metadata: { name: string; uid: string } }>;
    assert.equal(copies.length, 62);
    const references = async (name: string) => (await to.get(`${maps}/${name}`)).json.metadata.ownerReferences;
    const copy = copies.find(({ metadata }) => metadata.name === 'map-7')?.metadata.uid;
    assert.notEqual(copy, owner);
    assert.equal((await references('an-owned-one'))[0].uid, copy);
    assert.equal(await references('an-orphan'), undefined);

    await from.request('PUT', `${maps}/map-8`, { body: configMap('map-8', { at: 'changed' }) });
    assert.match((await run('--resource', 'configmaps')).stdout, /^configmaps +0 +0 +63 +0 +0$/m);
    assert.equal((await to.get(`${maps}/map-8`)).json.data.at, 'source');
    const replaced = await run('--replace', '--resource=configmaps', '--namespace=team');
    assert.match(replaced.stdout, /^configmaps +0 +62 +0 +0 +0$/m, replaced.stdout);
    assert.equal((await to.get(`${maps}/map-8`)).json.data.at, 'changed');
  });

  test('An import with an invalid kubeconfig fails with a one-line error.', async () => {
    const file = join(place.path, 'kubeconfig');
    writeFileSync(file, 'clusters: []\ncurrent-context: none\n');
    const { code, stderr } = await tidegateCommand('import', `--from-kubeconfig=${file}`);
    assert.equal(code, 1);
    assert.equal(stderr, `tidegate: ${file} has no context none\n`);
  });

  test('A stopped system can be backed up, and a new system can be restored from the backup and started.', async () => {
    const two = join(place.path, 'two');
    const { client } = withNats;
    await client.request('POST', MAPS, { body: configMap('carried', { at: 'one' }) });
    const { uid, resourceVersion } = (await client.get(`${MAPS}/carried`)).json.metadata;
    await withNats.stop();

    const file = join(place.path, 'stopped');
    const made = await tidegateCommand('backup', `--out=${file}`, `--data-dir=${dataDir}`);
    assert.equal(made.code, 0, made.stderr);
    const again = await tidegateCommand('backup', `--out=${file}`, `--data-dir=${dataDir}`);
    assert.match(again.stderr, /exists already/);
    const verified = await tidegateCommand('restore', '--verify-only', file);
    assert.equal(verified.code, 0, verified.stderr);
    assert.match(verified.stderr, new RegExp(`is complete: ${FIRST_OBJECTS + IMPORTED + 1} objects`));
    const restored = await tidegateCommand('restore', file, `--data-dir=${two}`);
    assert.equal(restored.code, 0, restored.stderr);

    const other = await runningSystem({ dataDir: two });
    const { metadata, data } = (await other.client.get(`${MAPS}/carried`)).json;
    assert.deepEqual([metadata.uid, metadata.resourceVersion, data], [uid, resourceVersion, { at: 'one' }]);
    await other.stop();
  });
});

test('A backup without a database fails and says what to do.', async () => {
  const { code, stderr } = await tidegateCommand('backup', '--out=x', `--data-dir=${join(place.path, 'nothing')}`);
  assert.equal(code, 1);
  assert.match(stderr, /^tidegate: there is no database in .*: give another --data-dir, or a --postgres-url\n$/);
});

test('An unreachable database is reported in one line without its password.', async () => {
  const { code, stderr } = await tidegateCommand(
    'backup',
    '--out=x',
    '--postgres-url=postgres://u:secret@127.0.0.1:1/x',
  );
  assert.equal(code, 1);
  assert.match(stderr, /^tidegate: nothing answers at 127\.0\.0\.1:1 \(ECONNREFUSED\): check --postgres-url/);
  assert.doesNotMatch(stderr, /secret/);
});
