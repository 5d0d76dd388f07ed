import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ConnectionOptions, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { OptionError } from '@tidegate/options';
import { serverPair, until } from '@tidegate/testkit';
import { TlsFiles } from './tls-files.ts';
import { readProtocol } from './tls-protocol.ts';

const log = { info() {}, warn() {} } as unknown as ConstructorParameters<typeof TlsFiles>[1];
const usual = { tlsMinVersion: 'VersionTLS12', tlsCipherSuites: [], authorityFiles: [] };

interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

describe('TlsFiles certificates', () => {
  let dir: string;
  let pairs: Record<'first' | 'second' | 'named' | 'starred', PairFiles>;
  let shown: PairFiles;
  let server: ReturnType<typeof createServer>;
  let serving: TlsFiles;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidegate-serving-'));
    const pair = async (name: string, names: string[]): Promise<PairFiles> => {
      const { cert, key } = await serverPair(names);
      const files = { certFile: join(dir, `${name}.crt`), keyFile: join(dir, `${name}.key`) };
      writeFileSync(files.certFile, cert);
      writeFileSync(files.keyFile, key);
      return files;
    };
    pairs = {
      first: await pair('first', ['localhost']),
      second: await pair('second', ['localhost']),
      named: await pair('named', ['api.example.com', '*.apps.example.com']),
      starred: await pair('starred', ['unused.example.org']),
    };
    shown = { certFile: join(dir, 'shown.crt'), keyFile: join(dir, 'shown.key') };
    put('certFile', 'first');
    put('keyFile', 'first');
    const { named, starred } = pairs;
    serving = new TlsFiles(
      {
        ...usual,
        tlsCertFile: shown.certFile,
        tlsPrivateKeyFile: shown.keyFile,
        tlsSniCertKey: [
          `${named.certFile},${named.keyFile}`,
          `${starred.certFile},${starred.keyFile}:*.example.com,plain.example.org`,
        ],
      },
      log,
    );
    server = createServer(serving.tls);
    serving.keep(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    serving?.close();
    await new Promise((resolve) => server.close(resolve));
    rmSync(dir, { recursive: true });
  });

  const put = (which: keyof PairFiles, from: 'first' | 'second') => copyFileSync(pairs[from][which], shown[which]);
  const connection = (options: ConnectionOptions) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket = connect(
        { port: (server.address() as AddressInfo).port, host: '127.0.0.1', rejectUnauthorized: false, ...options },
        () => resolve(socket),
      );
      socket.once('error', reject);
    });
  const seen = async (servername: string): Promise<PeerCertificate> => {
    const socket = await connection({ servername });
    const certificate = socket.getPeerCertificate();
    socket.destroy();
    return certificate;
  };
  const is = async (servername: string, { certFile }: PairFiles) =>
    new X509Certificate(readFileSync(certFile)).raw.equals((await seen(servername)).raw);

  test('are chosen by the requested server name', async () => {
    assert.equal(await is('localhost', pairs.first), true);
    assert.equal(await is('api.example.com', pairs.named), true);
    assert.equal(await is('API.example.com', pairs.named), true);
    assert.equal(await is('a.apps.example.com', pairs.named), true);
    assert.equal(await is('other.example.com', pairs.starred), true);
    assert.equal(await is('plain.example.org', pairs.starred), true);
    assert.equal(await is('unused.example.org', pairs.first), true);
    assert.equal(await is('a.b.example.com', pairs.first), true);
  });

  test('are reloaded without a restart once certificate and key match; open connections stay', async () => {
    const open = await connection({ servername: 'localhost' });
    put('certFile', 'second');
    assert.equal(await is('localhost', pairs.first), true);
    put('keyFile', 'second');
    await until('the new certificate to be shown', () => is('localhost', pairs.second));
    assert.equal(open.destroyed, false);
    open.destroy();
  });

  test('are served with TLS 1.2 or later, and with safe cipher suites only', async () => {
    await assert.rejects(connection({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }));
    await assert.rejects(connection({ maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA:ECDHE-ECDSA-AES128-SHA' }));
    const socket = await connection({ maxVersion: 'TLSv1.2' });
    assert.match(socket.getCipher().standardName, /^TLS_ECDHE_.*(GCM|POLY1305)/);
    socket.destroy();
  });
});

test('unsafe versions and cipher suites are rejected, misspelt ones with a suggestion', () => {
  const refused = (version: string, suites: string[], words: RegExp) =>
    assert.throws(
      () => readProtocol({ tlsMinVersion: version, tlsCipherSuites: suites }),
      (error: Error) => error instanceof OptionError && words.test(error.message),
    );
  refused('VersionTLS11', [], /VersionTLS12 or VersionTLS13, not VersionTLS11/);
  refused('VersionTLS12', ['TLS_RSA_WITH_AES_128_CBC_SHA'], /unknown or no longer safe/);
  refused(
    'VersionTLS12',
    ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA265'],
    /did you mean TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\?/,
  );
  const named = ['TLS_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'];
  const { ciphers } = readProtocol({ tlsMinVersion: 'VersionTLS13', tlsCipherSuites: named });
  assert.ok(ciphers.endsWith(':ECDHE-RSA-AES128-GCM-SHA256'));
});
