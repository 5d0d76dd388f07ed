import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryDir } from '@tidegate/testkit';
import { AccessWebhook } from './access-webhook.ts';
import { authorizationModes } from './authorization-configuration.ts';

const place = temporaryDir('authorization-configuration');
after(() => place.remove());

const file = join(place.path, 'config.yaml');
const kubeConfigFile = join(place.path, 'kubeconfig');

function writeKubeconfig(server: string): void {
  const clusters = [{ name: 'c', cluster: { server } }];
  const contexts = [{ name: 'x', context: { cluster: 'c' } }];
  writeFileSync(kubeConfigFile, JSON.stringify({ clusters, contexts, 'current-context': 'x' }));
}
writeKubeconfig('https://hook.example');

const flags = {
  authorizationMode: ['RBAC'],
  authorizationConfig: '',
  authorizationWebhookConfigFile: '',
  authorizationWebhookVersion: 'v1beta1',
  authorizationWebhookCacheAuthorizedTtl: '5m',
  authorizationWebhookCacheUnauthorizedTtl: '30s',
};
const modes = (config: Partial<typeof flags>) =>
  authorizationModes({ ...flags, ...config }, { calls: {} as never, warn: () => {} });

function read(authorizers: object[], version = 'v1') {
  const head = { apiVersion: `apiserver.config.k8s.io/${version}`, kind: 'AuthorizationConfiguration' };
  writeFileSync(file, JSON.stringify({ ...head, authorizers }));
  return modes({ authorizationConfig: file });
}

const usual = {
  authorizedTTL: '5m',
  unauthorizedTTL: '30s',
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  failurePolicy: 'NoOpinion',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
};
const hook = (more: object = {}, name = 'hook') => ({ type: 'Webhook', name, webhook: { ...usual, ...more } });
const kinds = (steps: readonly unknown[]) => steps.map((step) => (step instanceof AccessWebhook ? 'webhook' : step));

test('authorizers are asked in the order of the file', () => {
  const rbac = { type: 'RBAC', name: 'rbac' };
  const { steps } = read([hook(), rbac, hook({ failurePolicy: 'Deny' }, 'last')], 'v1beta1');
  assert.deepEqual(kinds(steps), ['webhook', 'roles', 'webhook']);
});

test('the modes of options keep their order, too', () => {
  const webhook = { authorizationMode: ['RBAC', 'Webhook'], authorizationWebhookConfigFile: kubeConfigFile };
  assert.deepEqual(kinds(modes(webhook).steps), ['roles', 'webhook']);
});

for (const [config, words] of [
  [{ authorizationMode: ['Webhook'] }, /must be specified together/],
  [{ authorizationWebhookConfigFile: kubeConfigFile }, /must be specified together/],
  [
    {
      authorizationMode: ['Webhook'],
      authorizationWebhookConfigFile: kubeConfigFile,
      authorizationWebhookVersion: 'v2',
    },
    /--authorization-webhook-version takes v1 and v1beta1, not "v2"/,
  ],
  [
    {
      authorizationMode: ['Webhook'],
      authorizationWebhookConfigFile: kubeConfigFile,
      authorizationWebhookCacheAuthorizedTtl: '5',
    },
    /--authorization-webhook-cache-authorized-ttl takes a time as 30s, 5m or 1m30s, not "5"/,
  ],
  [
    { authorizationMode: ['Webhook'], authorizationWebhookConfigFile: join(place.path, 'none') },
    /cannot read the kubeconfig/,
  ],
  [
    { authorizationMode: ['AlwaysAllow'], authorizationConfig: file },
    /--authorization-config can not be specified when/,
  ],
] as const) {
  test(`${Object.keys(config).join()} of ${JSON.stringify(config).length} characters is refused: ${words.source}`, () => {
    assert.throws(() => modes(config as never), { message: words });
  });
}

for (const [authorizers, words] of [
  [[], /config.yaml: authorizers: Required value: at least one authorization mode must be defined$/],
  [[{ name: 'a' }], /authorizers\[0\].type: Required value/],
  [
    [{ type: 'ABAC', name: 'a' }],
    /type: Unsupported value: "ABAC": supported values: "AlwaysAllow", "Node", "RBAC", "Webhook"/,
  ],
  [
    [
      { type: 'RBAC', name: 'a' },
      { type: 'RBAC', name: 'b' },
    ],
    /authorizers\[1\].type: Duplicate value: "RBAC"/,
  ],
  [[{ type: 'RBAC' }], /authorizers\[0\].name: Required value/],
  [[{ type: 'RBAC', name: 'A_b' }], /authorizer name is invalid/],
  [[hook(), hook()], /authorizers\[1\].name: Duplicate value: "hook"/],
  [[{ type: 'Webhook', name: 'a' }], /webhook: Required value: required when type=Webhook/],
  [[{ ...hook(), type: 'RBAC' }], /webhook: Invalid value: "non-null": may only be specified when type=Webhook/],
  [[hook({ timeout: '31s' })], /timeout: Invalid value: "31s": must be > 0s and <= 30s/],
  [[hook({ timeout: '' })], /timeout: Required value/],
  [[hook({ authorizedTTL: 'x' })], /authorizedTTL: Invalid value: "x": must be > 0s/],
  [[hook({ unauthorizedTTL: '0s' })], /unauthorizedTTL: Required value/],
  [[hook({ subjectAccessReviewVersion: 'v2' })], /Unsupported value: "v2": supported values: "v1", "v1beta1"/],
  [
    [hook({ failurePolicy: 'Allow' })],
    /failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"/,
  ],
  [[hook({ connectionInfo: {} })], /connectionInfo.type: Required value/],
  [[hook({ connectionInfo: { type: 'InClusterConfig' } })], /supported values: "KubeConfigFile"/],
  [[hook({ connectionInfo: { ...usual.connectionInfo, kubeConfigFile: 'x' } })], /must be an absolute path/],
  [[hook({ connectionInfo: { ...usual.connectionInfo, kubeConfigFile: '/none' } })], /there is no such file/],
  [[hook({ connectionInfo: { ...usual.connectionInfo, kubeConfigFile: '/' } })], /must be a regular file/],
  [[hook({ matchConditions: [{ expression: 'true' }] })], /required if match conditions are specified/],
  [
    [hook({ matchConditions: [{ expression: '1' }], matchConditionSubjectAccessReviewVersion: 'v1' })],
    /matchConditions\[0\].expression: Invalid value: "1": must evaluate to bool/,
  ],
  [[hook({ timeOut: '3s' })], /strict decoding error: unknown field "authorizers\[0\].webhook.timeOut"/],
] as const) {
  test(`a file is refused: ${words.source}`, () => {
    assert.throws(() => read(authorizers as never), { message: words });
  });
}

test('a webhook without TLS is refused', () => {
  writeKubeconfig('http://hook.example');
  assert.throws(() => read([hook()]), /kubeconfig: the server must be an https URL, not "http:\/\/hook.example"/);
});
