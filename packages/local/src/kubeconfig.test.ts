import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { kubeconfigText, writeKubeconfig } from './kubeconfig.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const facts = { server: 'https://127.0.0.1:6443', caPem: 'PEM\n', token: 't0ken' };

function place(): string {
  return join(temporaryDirectory(), 'config');
}

test('The kubeconfig has one context, tidegate, with the token and the authority.', () => {
  const text = kubeconfigText(facts);
  assert.match(text, /^current-context: tidegate$/m);
  assert.match(text, /^ {4}server: "https:\/\/127\.0\.0\.1:6443"$/m);
  assert.match(text, /^ {4}token: "t0ken"$/m);
  assert.match(text, new RegExp(`certificate-authority-data: ${Buffer.from('PEM\n').toString('base64')}`));
});

test('Only its owner can read it, and the next start replaces it.', () => {
  const file = place();
  writeKubeconfig(file, facts);
  writeKubeconfig(file, { ...facts, token: 'another' });
  assert.match(readFileSync(file, 'utf8'), /token: "another"/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('A foreign kubeconfig is rejected, and not changed.', () => {
  const file = place();
  writeFileSync(file, 'apiVersion: v1\n');
  assert.throws(() => writeKubeconfig(file, facts), /was not written by tidegate .*--kubeconfig/);
  assert.equal(readFileSync(file, 'utf8'), 'apiVersion: v1\n');
});

test('A path that cannot be written is a one-line error that names the option.', () => {
  const file = place();
  writeFileSync(file, '');
  assert.throws(() => writeKubeconfig(join(file, 'config'), facts), /cannot write .*--kubeconfig/);
});
