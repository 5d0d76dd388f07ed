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
  /** Another certificate in the place of one, by the same authority. */
  const exchange = async (name: string, leaf: Omit<Parameters<typeof mintLeaf>[1], 'validMs'>): Promise<string> => {
    const authority = { cert: readFileSync(file('ca.crt'), 'utf8'), key: readFileSync(file('ca.key'), 'utf8') };
    const pair = await mintLeaf(authority, { ...leaf, validMs: HOUR_MS }, Date.now());
    writeFileSync(file(`${name}.crt`), pair.cert);
    writeFileSync(file(`${name}.key`), pair.key);
    return serialOf(pair.cert);
  };
  const shown = () =>
    new Promise<string>((resolve, reject) => {
      const { hostname: host, port } = new URL(system.tidegate.server);
      const socket = connect({ host, port: Number(port), ca: readFileSync(file('ca.crt')) }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.once('error', reject);
    });

  test('are exchanged while it runs: the one that clients see, and the one by which its controllers are known', async () => {
    const watch = await system.client.watch('/api/v1/namespaces?watch=1');
    const serving = { commonName: 'tidegate-gateway', names: ['localhost', '127.0.0.1'], usages: ['server'] as const };
    const serial = await exchange('serving', serving);
    const controllers = { commonName: 'system:kube-controller-manager', organization: 'system:masters' };
    await exchange('controllers', { ...controllers, usages: ['client'] });
    await until('the new certificate to be shown', async () => (await shown()) === serial);

    const path = '/api/v1/namespaces/after';
    const made = await system.client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'after' } } });
    assert.equal(made.code, 201);
    // a watch of before goes on
    let seen = await watch.next();
    while (seen.object.metadata?.name !== 'after') seen = await watch.next();
    watch.close();
    assert.equal((await system.client.ask('DELETE', path)).code, 200);
    await until(
      'the controllers to have ended the namespace',
      async () => (await system.client.get(path)).code === 404,
    );
  });
});
