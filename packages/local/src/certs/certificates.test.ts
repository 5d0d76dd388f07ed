import 'reflect-metadata';
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { X509Certificate as DecodedCertificate } from '@peculiar/x509';
import { temporaryDirectory } from '../temporary-directory.ts';
import { ensureCertificates } from './certificates.ts';
import { mintAuthority } from './mint.ts';

const DAY_MS = 24 * 3600_000;
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const parts = ['gateway', 'store'];

function read(file: string): X509Certificate {
  return new X509Certificate(readFileSync(file));
}

function ensure(dir: string, now = Date.now(), bindAddress = '127.0.0.1'): ReturnType<typeof ensureCertificates> {
  return ensureCertificates({ dir, parts, bindAddress, now });
}

test('The serving certificate covers every name of the server.', async () => {
  const { serving, caFile } = await ensure(temporaryDirectory(), Date.now(), '192.0.2.7');
  const certificate = read(serving.certFile);
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc.cluster.local', hostname()]) {
    assert.ok(certificate.checkHost(name), name);
  }
  for (const address of ['127.0.0.1', '::1', '192.0.2.7']) assert.ok(certificate.checkIP(address), address);
  assert.ok(certificate.verify(read(caFile).publicKey));
  assert.deepEqual(certificate.keyUsage, [SERVER_AUTH]);
});

test('A client that trusts the authority accepts the server.', async () => {
  const { serving, caPem } = await ensure(temporaryDirectory());
  const files = { cert: readFileSync(serving.certFile), key: readFileSync(serving.keyFile) };
  const server = createServer(files, (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve, reject) => {
    get({ host: '127.0.0.1', port, ca: caPem, agent: false }, (response) => response.resume().on('end', resolve)).on(
      'error',
      reject,
    );
  });
  server.close();
});

test('Certificates name the key of their authority, as strict clients require.', async () => {
  const { serving, controllers, peer } = await ensure(temporaryDirectory());
  for (const { certFile } of [serving, controllers, peer('store')]) {
    const { extensions } = new DecodedCertificate(readFileSync(certFile));
    assert.ok(extensions.some(({ type }) => type === '2.5.29.35'));
  }
});

test("The bundle has the user's client authorities beside our own, without other contents of their file.", async () => {
  const dir = temporaryDirectory();
  const more = join(dir, 'more.crt');
  const [one, other] = await Promise.all(['one', 'other'].map((name) => mintAuthority(name, DAY_MS, Date.now())));
  writeFileSync(more, `# ours\n${one?.cert}${one?.key}\n\n${other?.cert}`);
  const { clientCaFile, caPem } = await ensureCertificates({
    dir,
    parts,
    bindAddress: '127.0.0.1',
    moreClientAuthorities: more,
  });
  const bundle = readFileSync(clientCaFile, 'utf8');
  const subjects = bundle.split(/(?<=-----END CERTIFICATE-----\n)/).map((text) => new X509Certificate(text).subject);
  assert.deepEqual(subjects, ['CN=tidegate-ca', 'CN=one', 'CN=other']);
  assert.doesNotMatch(bundle, /PRIVATE|ours/);
  assert.equal(caPem.match(/BEGIN/g)?.length, 1);
});

test('Without client authorities of the user the bundle has only our own.', async () => {
  const { clientCaFile, caFile } = await ensure(temporaryDirectory());
  assert.equal(clientCaFile, caFile);
});

for (const [what, text, words] of [
  ['without a certificate', 'nothing', /there is no certificate in .*more\.crt: check --client-ca-file/],
  [
    'with a broken certificate',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    /a certificate in .*more\.crt cannot be read: check --client-ca-file/,
  ],
] as const) {
  test(`A file of client authorities ${what} is rejected.`, async () => {
    const dir = temporaryDirectory();
    const more = join(dir, 'more.crt');
    writeFileSync(more, text);
    const wanted = { dir, parts, bindAddress: '127.0.0.1', moreClientAuthorities: more };
    await assert.rejects(ensureCertificates(wanted), words);
  });
}

test("A part's certificate is valid for servers and clients, and its authority is not that of clients.", async () => {
  const certificates = await ensure(temporaryDirectory());
  const certificate = read(certificates.peer('store').certFile);
  assert.equal(certificate.subject, 'O=tidegate\nCN=store');
  assert.deepEqual(certificate.keyUsage?.toSorted(), [SERVER_AUTH, CLIENT_AUTH]);
  assert.ok(certificate.verify(read(certificates.peerCaFile).publicKey));
  assert.ok(!certificate.verify(read(certificates.caFile).publicKey));
});

test("The controllers' certificate names them and their group.", async () => {
  const { controllers } = await ensure(temporaryDirectory());
  const certificate = read(controllers.certFile);
  assert.equal(certificate.subject, 'O=system:masters\nCN=system:kube-controller-manager');
  assert.deepEqual(certificate.keyUsage, [CLIENT_AUTH]);
});

test('Authorities are marked as such, leaves are not, and only the owner can read keys.', async () => {
  const certificates = await ensure(temporaryDirectory());
  assert.ok(read(certificates.caFile).ca);
  assert.ok(!read(certificates.serving.certFile).ca);
  assert.equal(statSync(certificates.serving.keyFile).mode & 0o777, 0o600);
});

test('Certificates that are valid for another month are kept.', async () => {
  const dir = temporaryDirectory();
  const before = readFileSync((await ensure(dir)).serving.certFile, 'utf8');
  const after = readFileSync((await ensure(dir, Date.now() + 334 * DAY_MS)).serving.certFile, 'utf8');
  assert.equal(after, before);
});

test('A certificate with less than thirty days left is renewed with the same authority.', async () => {
  const dir = temporaryDirectory();
  const before = await ensure(dir);
  const [leaf, authority] = [before.serving.certFile, before.caFile].map((file) => readFileSync(file, 'utf8'));
  const later = Date.now() + 336 * DAY_MS;
  const after = await ensure(dir, later);
  assert.notEqual(readFileSync(after.serving.certFile, 'utf8'), leaf);
  assert.equal(readFileSync(after.caFile, 'utf8'), authority);
  assert.ok(read(after.serving.certFile).validToDate.getTime() > later + 364 * DAY_MS);
});

test('Another bind address renews the serving certificate.', async () => {
  const dir = temporaryDirectory();
  await ensure(dir);
  const { serving } = await ensure(dir, Date.now(), '192.0.2.8');
  assert.ok(read(serving.certFile).checkIP('192.0.2.8'));
});

test('A certificate without its key is renewed.', async () => {
  const dir = temporaryDirectory();
  const { serving } = await ensure(dir);
  rmSync(serving.keyFile);
  await ensure(dir);
  assert.ok(statSync(serving.keyFile).size > 0);
});

test('An expired authority is a one-line error that says what to remove.', async () => {
  const dir = temporaryDirectory();
  await ensure(dir);
  await assert.rejects(ensure(dir, Date.now() + 3651 * DAY_MS), /ca\.crt expired on .*: remove the directory/);
});

test("An expired leaf without its authority's key is a one-line error that names the missing file.", async () => {
  const dir = temporaryDirectory();
  await ensure(dir);
  rmSync(join(dir, 'ca.key'));
  await assert.rejects(ensure(dir, Date.now() + 366 * DAY_MS), /expired on .* cannot be renewed without .*ca\.key/);
});

test('No leaf expires after its authority.', async () => {
  const dir = temporaryDirectory();
  await ensure(dir);
  const { serving, caFile } = await ensure(dir, Date.now() + 3600 * DAY_MS);
  assert.equal(read(serving.certFile).validTo, read(caFile).validTo);
});
