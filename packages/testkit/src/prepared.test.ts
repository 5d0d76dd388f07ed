import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDir } from './temporary-dir.ts';

/** Prepares a directory, and appends to a file if this process has created it. */
const PROGRAM = `
  import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
  import { prepared } from ${JSON.stringify(new URL('./prepared.ts', import.meta.url).href)};
  const make = async (dir) => {
    appendFileSync(process.env.NOTES, 'made ');
    await new Promise((resolve) => setTimeout(resolve, 300));
    mkdirSync(dir);
    writeFileSync(dir + '/file', 'whole');
  };
  process.stdout.write(await prepared({ name: 'something', key: 'key', make }));
`;

test('One of several concurrent processes creates the directory, also after a process that ended while holding the lock.', async (t) => {
  const place = temporaryDir('prepared-test');
  t.after(() => place.remove());
  const notes = join(place.path, 'notes');
  const env = { ...process.env, TIDEGATE_CACHE_DIR: place.path, NOTES: notes };
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], { env });
  const paths = await Promise.all([run(), run(), run()]);
  const where = join(place.path, 'prepared', 'something', 'key');
  assert.deepEqual(
    paths.map(({ stdout }) => stdout),
    [where, where, where],
  );
  assert.equal(readFileSync(join(where, 'file'), 'utf8'), 'whole');
  assert.equal(readFileSync(notes, 'utf8'), 'made ');

  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const other = join(place.path, 'prepared', 'something', 'other');
  writeFileSync(`${other}.pid`, String(pid));
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM.replace("'key'", "'other'")], {
    env,
  });
  assert.equal(readFileSync(join(other, 'file'), 'utf8'), 'whole');
});
