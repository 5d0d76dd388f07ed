import assert from 'node:assert/strict';
import { chmodSync, chownSync, copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { peerCertificates, startPostgres, type TestCertificates, type TestPostgres } from '@tidegate/testkit';
import { openPool } from '../testing/fixture.ts';

let postgres: TestPostgres;
let own: TestCertificates;
let foreign: TestCertificates;

before(async () => {
  [postgres, own, foreign] = await Promise.all([startPostgres(), peerCertificates(), peerCertificates()]);
  const { peerCertFile, peerKeyFile } = own.peerFiles('store');
  const { uid, gid } = statSync(postgres.dir);
  for (const [file, name] of [
    [peerCertFile, 'server.crt'],
    [peerKeyFile, 'server.key'],
  ] as const) {
    const target = join(postgres.dir, name);
    copyFileSync(file, target);
    chownSync(target, uid, gid);
    chmodSync(target, 0o600);
  }
  postgres.configure({ ssl: 'on' });
  await postgres.restart();
});

after(async () => {
  await postgres?.stop();
  own?.remove();
  foreign?.remove();
});

/** Whether the connection is encrypted, or why there is none. */
async function encrypted(mode: string, certificates: TestCertificates, hosts = `localhost:${postgres.port}`) {
  const url = postgres.url.replace(`127.0.0.1:${postgres.port}`, hosts);
  const pool = openPool(`${url}?sslmode=${mode}&sslrootcert=${encodeURIComponent(certificates.peerCaFile)}`);
  try {
    const [row] = await pool.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', [], 3000);
    return row?.[0];
  } catch (error) {
    return (error as Error).message;
  } finally {
    await pool.close();
  }
}

for (const mode of ['verify-full', 'verify-ca']) {
  test(`sslmode=${mode} accepts a server certificate of the authority.`, async () => {
    assert.equal(await encrypted(mode, own), true);
  });

  test(`sslmode=${mode} rejects a server certificate of another authority.`, async () => {
    assert.match(String(await encrypted(mode, foreign)), /certificate/);
  });
}

test('The certificate of each host is verified.', async () => {
  const hosts = `localhost:${postgres.port},127.0.0.1:${postgres.port}`;
  assert.equal(await encrypted('verify-ca', own, hosts), true);
  assert.match(String(await encrypted('verify-ca', foreign, hosts)), /no host accepts writes/);
});
