import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planned } from './parts.fixture.ts';

test('There is one process of each part, each with its own addresses.', () => {
  const specs = planned();
  assert.deepEqual(
    specs.map(({ name }) => name),
    ['gateway', 'health', 'watch', 'store'],
  );
  assert.equal(new Set(specs.flatMap((spec) => [spec.grpcAddress, spec.opsAddress])).size, 8);
});

test('Several workers are several gateways on one port, and the health service probes all of them.', () => {
  const specs = planned('--workers=3');
  const gateways = specs.filter(({ part }) => part === 'gateway');
  assert.deepEqual(
    gateways.map(({ name }) => name),
    ['gateway-1', 'gateway-2', 'gateway-3'],
  );
  for (const gateway of gateways) assert.ok(gateway.args.includes('--port=6443'));
  const targets = specs.find(({ part }) => part === 'health')?.args.find((arg) => arg.startsWith('--targets='));
  for (const gateway of gateways) assert.ok(targets?.includes(gateway.grpcAddress));
});

test('Arguments contain no passwords, because every user of the machine can read them.', () => {
  const specs = planned();
  assert.ok(!specs.some(({ args }) => args.some((arg) => arg.includes('secret'))));
  const store = specs.find(({ part }) => part === 'store');
  assert.match(store?.env.TIDEGATE_POSTGRES_URL ?? '', /pg-secret/);
  assert.match(store?.env.TIDEGATE_NATS_URL ?? '', /nats-secret/);
});

test('Only the store gets the URL of PostgreSQL.', () => {
  const knowing = planned().filter(({ env }) => env.TIDEGATE_POSTGRES_URL !== undefined);
  assert.deepEqual(
    knowing.map(({ name }) => name),
    ['store'],
  );
});

test('Each part has its own certificate.', () => {
  for (const spec of planned()) assert.ok(spec.args.includes(`--peer-cert-file=peer-${spec.part}.crt`));
});

test('Only client certificates are verified with the bundle of authorities.', () => {
  const flags = planned().flatMap(({ part, args }) => args.map((argument) => `${part} ${argument}`));
  const withBundle = flags.filter((flag) => flag.endsWith('=client-ca.crt'));
  assert.deepEqual(withBundle, ['gateway --client-ca-file=client-ca.crt', 'store --client-ca-file=client-ca.crt']);
});

test("The user's options for the gateway are passed on to it.", () => {
  const [gateway] = planned('--feature-gates=WatchList=true', '--bind-address=0.0.0.0', '--log-level=debug');
  for (const arg of ['--feature-gates=WatchList=true', '--bind-address=0.0.0.0', '--log-level=debug']) {
    assert.ok(gateway?.args.includes(arg), arg);
  }
  assert.ok(gateway?.args.includes('--token-auth-file=tokens.csv,more.csv'));
});
