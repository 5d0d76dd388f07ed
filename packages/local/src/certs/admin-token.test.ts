import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../temporary-directory.ts';
import { ensureAdminToken } from './admin-token.ts';

function place(): string {
  return join(temporaryDirectory(), 'tokens.csv');
}

test("A new token is long, readable only by its owner, and in kube-apiserver's format.", () => {
  const file = place();
  const token = ensureAdminToken(file);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(readFileSync(file, 'utf8'), `${token},admin,admin,"system:masters"\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('The token stays the same over starts, also with other users in the file.', () => {
  const file = place();
  writeFileSync(file, 'x,other,other\nsecret,admin,admin,"system:masters"\n');
  assert.equal(ensureAdminToken(file), 'secret');
});

test('A file without the administrator is an error that says what to do.', () => {
  const file = place();
  writeFileSync(file, 'x,other,other\n');
  assert.throws(() => ensureAdminToken(file), /no line for the user admin: remove it/);
});
