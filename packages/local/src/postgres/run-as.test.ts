import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseRunAs, commandAs, type RunAs } from './run-as.ts';

const passwd = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\npostgres:x:101:104::/var:/bin/sh\n';

function choose(overrides: Partial<Parameters<typeof chooseRunAs>[0]>): RunAs | undefined {
  return chooseRunAs({ uid: 0, passwd, works: () => true, ...overrides });
}

test('An ordinary user runs the server as the same user.', () => {
  assert.deepEqual(choose({ uid: 1000, works: () => false }), { kind: 'self' });
});

test('Root prefers the user postgres.', () => {
  assert.deepEqual(choose({}), { kind: 'user', name: 'postgres', uid: 101, gid: 104 });
});

test('Root uses the user nobody where there is no user postgres.', () => {
  const found = choose({ passwd: passwd.replace(/^postgres.*$/m, '') });
  assert.deepEqual(found, { kind: 'user', name: 'nobody', uid: 65534, gid: 65533 });
});

test('Root uses a user namespace where no other user can reach the files.', () => {
  assert.deepEqual(choose({ works: (way) => way.kind === 'namespace' }), { kind: 'namespace' });
});

test('Root uses a user namespace where the list of users cannot be read.', () => {
  assert.deepEqual(choose({ passwd: '' }), { kind: 'namespace' });
});

test('There is no result where nothing works.', () => {
  assert.equal(choose({ works: () => false }), undefined);
});

test('A user of that name with the id of root is ignored.', () => {
  assert.deepEqual(choose({ passwd: 'postgres:x:0:0::/:/bin/sh\n' }), { kind: 'namespace' });
});

test('A command in a namespace is run by unshare, without another user.', () => {
  const { command, args, uid } = commandAs({ kind: 'namespace' }, 'postgres', ['-D', 'x']);
  assert.equal(command, 'unshare');
  assert.deepEqual(args.slice(-3), ['postgres', '-D', 'x']);
  assert.equal(uid, undefined);
});
