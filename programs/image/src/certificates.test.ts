import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDir } from '@tidegate/testkit';
import { makeCertificates } from './certificates.ts';

test('Certificates are created once, each with the names of its part, beside a token and a kubeconfig.', async () => {
  const { path: dir, remove } = temporaryDir('certificates');
  const text = (name: string) => readFileSync(join(dir, name), 'utf8');
  try {
    const options = { dir, server: 'https://api.example.com:6443', servingNames: ['api.example.com'] };
    await makeCertificates(options);
    for (const part of ['gateway', 'store', 'watch', 'health']) {
      const certificate = new X509Certificate(text(`peer-${part}.crt`));
      assert.ok(certificate.checkHost(part));
      assert.match(certificate.subject, new RegExp(`CN=${part}$`, 'm'));
    }
    const serving = new X509Certificate(text('serving.crt'));
    for (const name of ['gateway', 'api.example.com', 'localhost']) assert.ok(serving.checkHost(name), name);
    const [token] = text('tokens.csv').split(',');
    assert.ok(text('kubeconfig').includes(`token: "${token}"`));
    assert.match(text('kubeconfig'), /server: "https:\/\/api.example.com:6443"/);
    const before = readdirSync(dir).map(text);
    await makeCertificates(options);
    assert.deepEqual(readdirSync(dir).map(text), before);
  } finally {
    remove();
  }
});
