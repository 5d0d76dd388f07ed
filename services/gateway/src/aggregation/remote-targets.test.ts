import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowedAddresses } from '../callouts/allowed-addresses.ts';
import { ServiceTargets } from '../callouts/service-targets.ts';
import { RemoteTargets } from './remote-targets.ts';

const SERVICE = { namespace: 'a', name: 'fruit', port: 443, caBundle: '', insecure: false };
const NO_FILES = { proxyClientCertFile: '', proxyClientKeyFile: '' };

function targets(aggregatedServiceAddresses: readonly string[], files = NO_FILES): RemoteTargets {
  const services = new ServiceTargets(() => Promise.reject(new Error('nobody may look')));
  const addresses = new AllowedAddresses(['127.0.0.0/8', '::1/128']);
  return new RemoteTargets({ ...files, aggregatedServiceAddresses }, { services, addresses });
}

test('a Service is reached at its configured address, under the name in its certificate', async () => {
  const { address, port, host } = await targets(['a/fruit=127.0.0.1:8443']).backend(SERVICE, 1);
  assert.deepEqual([address, port, host], ['127.0.0.1', 8443, 'fruit.a.svc']);
  assert.equal((await targets(['a/fruit=[::1]:1']).backend(SERVICE, 1)).address, '::1');
});

test('every other Service is resolved by its endpoints', async () => {
  await assert.rejects(targets(['b/fruit=127.0.0.1:8443']).backend(SERVICE, 1), /nobody may look/);
});

test('a forbidden address is refused, wherever it comes from', async () => {
  await assert.rejects(targets(['a/fruit=169.254.169.254:80']).backend(SERVICE, 1), /address not allowed/);
});

test('invalid options are refused with the expected form', () => {
  for (const wrong of ['fruit=127.0.0.1:1', 'a/fruit=127.0.0.1', 'a/fruit=127.0.0.1:70000', 'a/fruit']) {
    assert.throws(() => targets([wrong]), /takes NAMESPACE\/NAME=HOST:PORT, not /);
  }
  assert.throws(() => targets([], { ...NO_FILES, proxyClientCertFile: 'a.crt' }), /are given together/);
});

test('a certificate is verified by the CA bundle, or skipped where the object says so', async () => {
  const all = targets(['a/fruit=127.0.0.1:8443']);
  const bundled = await all.backend({ ...SERVICE, caBundle: Buffer.from('PEM').toString('base64') }, 1);
  assert.deepEqual([String(bundled.tls?.ca), bundled.tls?.rejectUnauthorized], ['PEM', undefined]);
  assert.equal((await all.backend({ ...SERVICE, insecure: true }, 1)).tls?.rejectUnauthorized, false);
});
