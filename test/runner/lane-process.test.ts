import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Lane } from './lane-process.ts';
import { lineOf } from './skipped.ts';

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', `${name}.ts`);

describe('A process that runs files of tests', () => {
  const lane = new Lane({ limitMs: 20_000 });
  after(async () => assert.deepEqual(await lane.end(), []));

  test('tells what became of each test, and does the hooks of a file around its own tests', async () => {
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

  test('tells of a file that cannot be loaded', async () => {
    const { failures } = await lane.run(fixture('broken'));
    assert.match(failures[0]?.error ?? '', /it cannot be loaded/);
  });

  test('ends once what its files shared, and tells what fails of that', async () => {
    assert.deepEqual((await lane.run(fixture('shares'))).failures, []);
    const [failure] = await lane.endShared();
    assert.equal(failure?.name, 'what is shared ends');
    assert.match(failure?.error ?? '', /it ended badly/);
    assert.deepEqual(await lane.endShared(), []);
  });

  test('is replaced when a file ends it, and the file has failed', async () => {
    const { failures, cost } = await lane.run(fixture('exits'));
    assert.match(failures[0]?.error ?? '', /its process ended with 7/);
    assert.equal(cost, undefined);
    assert.equal((await lane.run(fixture('hooks'))).passed, 1);
  });
});

test('A file that is not done within the limit has failed, and its process is ended.', async () => {
  const lane = new Lane({ limitMs: 1500 });
  const { failures } = await lane.run(fixture('hangs'));
  assert.match(failures[0]?.error ?? '', /not done after 1.5 s/);
  await lane.end();
});
