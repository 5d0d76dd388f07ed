import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type ApiError, forbidden } from '@tidegate/status';
import { hypotheticalRequest } from './request-attributes.ts';
import { WatchRights } from './watch-rights.ts';

const info = hypotheticalRequest({ verb: 'watch', isResource: true, resource: 'pods' });

function fixture() {
  const revoked = new Set<string>();
  const ended: string[] = [];
  const rights = new WatchRights((user) =>
    revoked.has(user.name) ? forbidden({ user: user.name, verb: 'watch' }) : undefined,
  );
  const start = (name: string) => {
    const running = {
      user: { name, uid: '', groups: [] },
      info,
      watch: {
        fail(error: ApiError) {
          ended.push(`${name} ${error.code}`);
          rights.remove(running);
        },
      },
    };
    rights.add(running);
  };
  return { revoked, ended, rights, start };
}

test('a change of rights ends the watches that are no longer allowed', async () => {
  const { revoked, ended, rights, start } = fixture();
  for (const name of ['ann', 'bob', 'eve']) start(name);
  revoked.add('ann').add('eve');
  rights.changed();
  assert.deepEqual(ended, [], 'not in the middle of something else');
  await turn();
  assert.deepEqual(ended, ['ann 403', 'eve 403']);
});

test('thousands of watches are checked over several turns, and a change meanwhile causes one more pass', async () => {
  const { revoked, ended, rights, start } = fixture();
  for (let i = 0; i < 1200; i++) start(`user-${i}`);
  revoked.add('user-1100');
  rights.changed();
  await turn();
  assert.equal(ended.length, 0);
  revoked.add('user-3');
  rights.changed();
  for (let i = 0; i < 8; i++) await turn();
  assert.deepEqual(ended, ['user-1100 403', 'user-3 403']);
});

test('a watch that starts just after its right was removed ends at once', () => {
  const { revoked, ended, start } = fixture();
  revoked.add('ann');
  start('ann');
  assert.deepEqual(ended, ['ann 403']);
});
