import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clusterAccessOf, readClusterAccess } from './cluster-access.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const text = `
apiVersion: v1
kind: Config
current-context: by-token
clusters:
- name: a
  cluster: { server: 'https://a:6443', certificate-authority-data: ${base64('CA')}, tls-server-name: kubernetes }
- name: b
  cluster: { server: 'https://b', insecure-skip-tls-verify: true }
users:
- { name: token, user: { token: secret } }
- { name: cert, user: { client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')} } }
- { name: files, user: { client-certificate: cert.pem, client-key: key.pem, tokenFile: token } }
- { name: exec, user: { exec: { command: aws } } }
contexts:
- { name: by-token, context: { cluster: a, user: token } }
- { name: by-cert, context: { cluster: b, user: cert } }
- { name: by-files, context: { cluster: b, user: files } }
- { name: by-exec, context: { cluster: b, user: exec } }
- { name: lost, context: { cluster: c } }
`;
const access = (context = '', file = '/dir/config') => clusterAccessOf(text, { file, context });

test('The current context is used unless another one is named.', () => {
  assert.deepEqual(access(), {
    server: 'https://a:6443',
    insecure: false,
    ca: 'CA',
    serverName: 'kubernetes',
    authorization: 'Bearer secret',
  });
  assert.deepEqual(access('by-cert'), { server: 'https://b', insecure: true, cert: 'CERT', key: 'KEY' });
});

test('Paths are relative to the kubeconfig.', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  t.after(() => rmSync(dir, { recursive: true }));
  for (const name of ['cert.pem', 'key.pem', 'token']) writeFileSync(join(dir, name), `${name}\n`);
  assert.deepEqual(access('by-files', join(dir, 'config')), {
    server: 'https://b',
    insecure: true,
    cert: 'cert.pem\n',
    key: 'key.pem\n',
    authorization: 'Bearer token',
  });
  assert.throws(() => access('by-files'), { message: 'cannot read /dir/cert.pem, which the kubeconfig names' });
});

test('Errors name what is missing or not supported.', () => {
  assert.throws(() => access('nobody'), /has no context nobody; there are by-token, by-cert, by-files, by-exec, lost$/);
  assert.throws(() => access('lost'), /has no cluster c; there are a, b$/);
  assert.throws(() => access('by-exec'), /logs in with exec, which is not supported/);
  assert.throws(() => clusterAccessOf('clusters: []', { file: 'f', context: '' }), /no current context/);
  assert.throws(() => clusterAccessOf(': {', { file: 'f', context: '' }), /f is not valid YAML/);
  assert.throws(() => readClusterAccess('/does/not/exist'), /cannot read the kubeconfig/);
});
