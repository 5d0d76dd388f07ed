import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Lane } from './lane-process.ts';
import { lineOf } from './skipped.ts';

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', `${name}.ts`);

describe('A process that runs test files', () => {
  const lane = new Lane({ limitMs: 20_000 });
  after(async () => assert.deepEqual(await lane.end(), []));

  test('reports the result of each test, and runs the hooks of a file only for its tests', async () => {
    const { passed, failures, skipped, cost } = await lane.run(fixture('hooks'));
    assert.equal(passed, 1);
    assert.deepEqual(
      failures.map(({ name }) => name),
      ['fails'],
    );
    assert.match(failures[0]?.error ?? '', /as it should/);
    assert.deepEqual(skipped.map(lineOf), [
      'skipped: is skipped: for a reason',
      'skipped: a group is skipped: for another',
    ]);
    assert.ok((cost?.wallMs ?? 0) > 0 && (cost?.cpu.ownMs ?? 0) > 0);
    assert.deepEqual((await lane.run(fixture('after-hooks'))).failures, []);
  });

  test('reports a file that cannot be loaded', async () => {
    const { failures } = await lane.run(fixture('broken'));
    assert.match(failures[0]?.error ?? '', /it cannot be loaded/);
  });

  test('runs the endings of shared resources once, and reports their failures', async () => {
    assert.deepEqual((await lane.run(fixture('shares'))).failures, []);
    const [failure] = await lane.endShared();
    assert.equal(failure?.name, 'what is shared ends');
    assert.match(failure?.error ?? '', /it ended badly/);
    assert.deepEqual(await lane.endShared(), []);
  });

  test('is replaced when a file ends it, and the file counts as failed', async () => {
    const { failures, cost } = await lane.run(fixture('exits'));
    assert.match(failures[0]?.error ?? '', /its process ended with 7/);
    assert.equal(cost, undefined);
    assert.equal((await lane.run(fixture('hooks'))).passed, 1);
  });
});

test('A file that exceeds the time limit has failed, and its process is killed.', async () => {
  const lane = new Lane({ limitMs: 1500 });
  const { failures } = await lane.run(fixture('hangs'));
  assert.match(failures[0]?.error ?? '', /not done after 1.5 s/);
  await lane.end();
});
