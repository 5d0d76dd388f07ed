import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDir } from './temporary-dir.ts';

/** Has a directory prepared, and notes in a file when it was this process that made it. */
const ASKER = `
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

test('What several processes want at the same time is made by one of them, whoever made it before and ended.', async (t) => {
  const place = temporaryDir('prepared-test');
  t.after(() => place.remove());
  const notes = join(place.path, 'notes');
  const env = { ...process.env, TIDEGATE_CACHE_DIR: place.path, NOTES: notes };
  const ask = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', ASKER], { env });
  const asked = await Promise.all([ask(), ask(), ask()]);
  const where = join(place.path, 'prepared', 'something', 'key');
  assert.deepEqual(
    asked.map(({ stdout }) => stdout),
    [where, where, where],
  );
  assert.equal(readFileSync(join(where, 'file'), 'utf8'), 'whole');
  assert.equal(readFileSync(notes, 'utf8'), 'made ');

  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const other = join(place.path, 'prepared', 'something', 'other');
  writeFileSync(`${other}.pid`, String(pid));
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', ASKER.replace("'key'", "'other'")], {
    env,
  });
  assert.equal(readFileSync(join(other, 'file'), 'utf8'), 'whole');
});
