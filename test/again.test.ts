import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDir } from '@tidegate/testkit';

/** Runs again.ts with its own cache folder, in which it keeps the output of failed runs. */
function again(cache: string, ...args: string[]): { status: number | null; lines: string[] } {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'again.ts'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, TIDEGATE_CACHE_DIR: cache },
  });
  return { status, lines: stdout.trim().split('\n') };
}

test('Repeated runs are listed with their seeds, which differ.', () => {
  const cache = temporaryDir('again');
  const { status, lines } = again(cache.path, '2', '--burners', 'packages/revision/');
  assert.equal(status, 0);
  const [first = '', second = '', last] = lines.slice(-3);
  const seeds = [first, second].map((line, i) => {
    const [, seed] =
      new RegExp(`^run ${i + 1} of 2, seed (\\d+): passed after \\d+ s: \\d+ passed, 0 failed`).exec(line) ?? [];
    assert.ok(seed !== undefined, line);
    return seed;
  });
  assert.notEqual(seeds[0], seeds[1]);
  assert.equal(last, 'all 2 runs passed');
  assert.deepEqual(readdirSync(join(cache.path, 'again')), []);
  cache.remove();
});

test('The output of a failed run is kept, and the exit code is 1.', () => {
  const cache = temporaryDir('again');
  // a run without tests fails
  const { status, lines } = again(cache.path, '1', 'packages/unknown/');
  assert.equal(status, 1);
  assert.match(lines.at(-1) ?? '', /^1 of 1 runs failed: their output is in .*again/);
  const kept = readdirSync(cache.path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
  assert.equal(kept.length, 1);
  assert.equal(readFileSync(join(cache.path, kept[0] as string), 'utf8'), '0 passed, 0 failed, 0 skipped\n');
  cache.remove();
});
