import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryDir } from '@tidegate/testkit';
import { digestOf, TokenFile } from '../tokens/token-authority.ts';

const place = temporaryDir('token-file');
after(() => place.remove());

function fileWith(lines: string): TokenFile {
  const path = join(place.path, 'tokens.csv');
  writeFileSync(path, lines);
  return new TokenFile([path]);
}

const verdict = (file: TokenFile, text: string, digest = digestOf(text)) => file.authenticate({ text, digest });

test('a line defines a user, with its groups in quotes', () => {
  const file = fileWith('# users\n\na-token,ann,1,"dev, ops"\nb-token,bob,,\n');
  const ann = { name: 'ann', uid: '1', groups: ['dev', 'ops', 'system:authenticated'] };
  assert.deepEqual(verdict(file, 'a-token'), { user: ann });
  assert.deepEqual(verdict(file, 'b-token'), { user: { name: 'bob', uid: '', groups: ['system:authenticated'] } });
  assert.equal(verdict(file, 'c-token'), undefined);
});

test('tokens are looked up by their keyed digest, never by their text', () => {
  const file = fileWith('a-token,ann,1\n');
  assert.equal(verdict(file, 'a-token', digestOf('other')), undefined);
  assert.notEqual(verdict(file, 'other', digestOf('a-token')), undefined);
  assert.match(digestOf('a-token'), /^[A-Za-z0-9+/]{43}=$/);
});

test('an invalid line is refused with its number', () => {
  assert.throws(() => fileWith('a,b,c\nonly-a-token\n'), /tokens.csv:2: a line must be token,user,uid/);
});
