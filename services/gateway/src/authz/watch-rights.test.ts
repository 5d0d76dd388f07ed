import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type ApiError, forbidden } from '@tidegate/status';
import { question } from './request-attributes.ts';
import { WatchRights } from './watch-rights.ts';

const info = question({ verb: 'watch', isResource: true, resource: 'pods' });

function fixture() {
  const revoked = new Set<string>();
  const told: string[] = [];
  const rights = new WatchRights((user) =>
    revoked.has(user.name) ? forbidden({ user: user.name, verb: 'watch' }) : undefined,
  );
  const start = (name: string) => {
    const running = {
      user: { name, uid: '', groups: [] },
      info,
      watch: {
        fail(error: ApiError) {
          told.push(`${name} ${error.code}`);
          rights.remove(running);
        },
      },
    };
    rights.add(running);
  };
  return { revoked, told, rights, start };
}

test('a change of rights ends the watches that are not allowed any more', async () => {
  const { revoked, told, rights, start } = fixture();
  for (const name of ['ann', 'bob', 'eve']) start(name);
  revoked.add('ann').add('eve');
  rights.changed();
  assert.deepEqual(told, [], 'not in the middle of something else');
  await turn();
  assert.deepEqual(told, ['ann 403', 'eve 403']);
});

test('thousands of watches are looked at over several turns, and a change meanwhile is followed by one more look', async () => {
  const { revoked, told, rights, start } = fixture();
  for (let i = 0; i < 1200; i++) start(`user-${i}`);
  revoked.add('user-1100');
  rights.changed();
  await turn();
  assert.equal(told.length, 0);
  revoked.add('user-3');
  rights.changed();
  for (let i = 0; i < 8; i++) await turn();
  assert.deepEqual(told, ['user-1100 403', 'user-3 403']);
});

test('a watch that begins when its right has just gone ends at once', () => {
  const { revoked, told, start } = fixture();
  revoked.add('ann');
  start('ann');
  assert.deepEqual(told, ['ann 403']);
});
