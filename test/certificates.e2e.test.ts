import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { mintLeaf } from '@tidegate/local';
import { until } from '@tidegate/testkit';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const HOUR_MS = 3_600_000;

describe('Certificates of a running system', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const file = (name: string) => join(system.tidegate.dataDir, 'certs', name);
  const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;
  /** Replaces a certificate with a new one of the same authority; returns its serial number. */
  const replace = async (name: string, leaf: Omit<Parameters<typeof mintLeaf>[1], 'validMs'>): Promise<string> => {
    const authority = { cert: readFileSync(file('ca.crt'), 'utf8'), key: readFileSync(file('ca.key'), 'utf8') };
    const pair = await mintLeaf(authority, { ...leaf, validMs: HOUR_MS }, Date.now());
    writeFileSync(file(`${name}.crt`), pair.cert);
    writeFileSync(file(`${name}.key`), pair.key);
    return serialOf(pair.cert);
  };
  const servedSerial = () =>
    new Promise<string>((resolve, reject) => {
      const { hostname: host, port } = new URL(system.tidegate.server);
      const socket = connect({ host, port: Number(port), ca: readFileSync(file('ca.crt')) }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.once('error', reject);
    });

  test('Replaced serving and controller certificates are used without a restart.', async () => {
    const watch = await system.client.watch('/api/v1/namespaces?watch=1');
    const serving = { commonName: 'tidegate-gateway', names: ['localhost', '127.0.0.1'], usages: ['server'] as const };
    const serial = await replace('serving', serving);
    const controllers = { commonName: 'system:kube-controller-manager', organization: 'system:masters' };
    await replace('controllers', { ...controllers, usages: ['client'] });
    await until('the new certificate to be served', async () => (await servedSerial()) === serial);

    const path = '/api/v1/namespaces/after';
    const made = await system.client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'after' } } });
    assert.equal(made.code, 201);
    // an earlier watch continues
    let seen = await watch.next();
    while (seen.object.metadata?.name !== 'after') seen = await watch.next();
    watch.close();
    assert.equal((await system.client.request('DELETE', path)).code, 200);
    await until('the controllers to delete the namespace', async () => (await system.client.get(path)).code === 404);
  });
});
