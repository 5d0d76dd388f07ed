import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '@tidegate/local';
import { temporaryDir } from '@tidegate/testkit';
import { whyNoHelm } from '../support/helm.ts';
import { fileOf, template } from './support/render.ts';

/** Mistakes in values, and the error that Helm prints. */
const MISTAKES: ReadonlyArray<readonly [set: string, words: RegExp]> = [
  ['store.replica=2', /'\/store': additional properties 'replica' not allowed/],
  ['parts.replicas="two"', /'\/parts\/replicas': got string, want integer/],
  ['gateway.replicas=-1', /'\/gateway\/replicas': minimum: got -1, want 0/],
  ['parts.logLevel="loud"', /'\/parts\/logLevel': value must be one of 'trace', 'debug', 'info', 'warn', 'error'/],
  ['image.digest="sha256:abc"', /'\/image\/digest': 'sha256:abc' does not match pattern/],
  ['image.repository="tidegate:1.0"', /'\/image\/repository': .* does not match pattern/],
  ['runAsUser=0', /'\/runAsUser': minimum: got 0, want 1/],
  ['gateway.service.type="ExternalName"', /'\/gateway\/service\/type': value must be one of/],
  ['gateway.service.port=70000', /'\/gateway\/service\/port': maximum: got 70,000, want 65,535/],
  ['gateway.serviceClusterIPRange=["10.0.0.0"]', /'\/gateway\/serviceClusterIPRange\/0': '10.0.0.0' does not match/],
  ['gateway.extraArgs=["anonymous-auth=false"]', /'\/gateway\/extraArgs\/0': 'anonymous-auth=false' does not match/],
  ['parts.resources={"limits":{"memory":"1 GB"}}', /'\/parts\/resources\/limits\/memory': '1 GB' does not match/],
  ['certificates.mode="self"', /'\/certificates\/mode': value must be one of 'helm', 'cert-manager', 'existing'/],
  ['nats.replicas=2', /'\/nats\/replicas': value must be one of 1, 3, 5/],
  ['nats.url="bus:4222"', /'\/nats\/url': 'bus:4222' does not match pattern/],
  ['postgresql.url="database"', /'\/postgresql\/url': 'database' does not match pattern/],
  ['tracing.sampleRatio=2', /'\/tracing\/sampleRatio': maximum: got 2, want 1/],
  ['networkPolicy.ingress=[]', /'\/networkPolicy': additional properties 'ingress' not allowed/],
  // combinations, which the schema cannot reject
  [
    'postgresql.existingSecret=""',
    /No PostgreSQL is configured: set postgresql.existingSecret to a Secret with the key url/,
  ],
  ['postgresql.bundled.enabled=true', /postgresql.existingSecret and postgresql.bundled.enabled exclude each other/],
  [
    'nats={"url":"nats://a:1","existingSecret":"b"}',
    /nats.existingSecret and nats.url exclude each other: set only one/,
  ],
  ['nats.clientCertificate=true', /nats.clientCertificate requires nats.tlsSecret, which holds the certificate/],
  [
    'certificates.mode="existing"',
    /set certificates.existing.peer.gateway to the Secret of that service's certificate/,
  ],
  ['gateway.ingress.enabled=true', /gateway.ingress.enabled requires gateway.ingress.hosts/],
  [
    'store.shutdownDelaySeconds=25',
    /store: terminationGracePeriodSeconds is 30, but must be at least shutdownDelaySeconds \(25\) plus 10/,
  ],
  [
    'watch.autoscaling={"enabled":true,"minReplicas":9}',
    /watch: autoscaling.minReplicas is greater than autoscaling.max/,
  ],
  [
    'watch.autoscaling={"enabled":true,"targetCPUUtilizationPercentage":null}',
    /watch: autoscaling requires targetCPUUtilizationPercentage or targetMemoryUtilizationPercentage/,
  ],
];

describe('Mistakes in values', { skip: whyNoHelm() ?? false }, () => {
  for (const [set, words] of MISTAKES) {
    test(`The error for ${set} names the value.`, () => {
      const { code, stderr } = template('-f', fileOf('default'), '--set-json', set);
      assert.equal(code, 1);
      assert.match(stderr, words);
    });
  }

  test('Without values, the error says that PostgreSQL must be configured.', () => {
    const { code, stderr } = template();
    assert.equal(code, 1);
    assert.match(stderr, /No PostgreSQL is configured/);
  });
});

describe('The documented installation', { skip: whyNoHelm() ?? false }, () => {
  test('The chart accepts the values of docs/operate/install.md.', () => {
    const page = readFileSync(join(projectRoot, 'docs/operate/install.md'), 'utf8');
    const [, values = ''] = /```\n# values.yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const dir = temporaryDir('documented-values');
    const file = join(dir.path, 'values.yaml');
    writeFileSync(file, values.replaceAll('REGISTRY', 'registry.example.com'));
    const { code, stderr, stdout } = template('-f', file);
    dir.remove();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /image: "registry.example.com\/tidegate:/);
  });
});

describe('Values of one service', { skip: whyNoHelm() ?? false }, () => {
  test('Values of one service override the values of parts, also when they are false or 0.', () => {
    const { stdout } = template(
      ...['-f', fileOf('default'), '--set-json', 'store={"replicas":0,"podDisruptionBudget":{"enabled":false}}'],
      ...['--set-json', 'parts.replicas=5'],
    );
    const documents = stdout.split(/^---$/m);
    const of = (kind: string, name: string) =>
      documents.find((text) => text.includes(`kind: ${kind}\n`) && text.includes(`  name: trial-tidegate-${name}\n`));
    assert.match(of('Deployment', 'store') ?? '', /^ {2}replicas: 0$/m);
    assert.match(of('Deployment', 'watch') ?? '', /^ {2}replicas: 5$/m);
    assert.equal(of('PodDisruptionBudget', 'store'), undefined);
    assert.notEqual(of('PodDisruptionBudget', 'watch'), undefined);
  });
});
