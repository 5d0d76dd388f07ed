import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Query } from '@tidegate/request-info';
import type { JsonObject } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { WebhookFailure } from '../callouts/webhook-calls.ts';
import { AccessWebhook, type AccessWebhookOptions } from './access-webhook.ts';
import { readConditions } from './match-conditions.ts';
import { hypotheticalRequest } from './request-attributes.ts';

const ann = { name: 'ann', uid: '7', groups: ['dev'], extra: { 'example.com/a': ['b'] } };
const list = hypotheticalRequest({
  isResource: true,
  verb: 'list',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'a',
  query: new Query('fieldSelector=metadata.name%3Dx,metadata.namespace!%3Db'),
});

function fixture(options: Partial<AccessWebhookOptions> = {}) {
  const asked: JsonObject[] = [];
  const warnings: string[] = [];
  const state = { now: 0, status: { allowed: true } as JsonObject | undefined };
  const webhook = new AccessWebhook({
    name: 'hook',
    webhook: {
      ask: async (body) => {
        asked.push(body);
        if (state.status === undefined) throw new WebhookFailure('it is away');
        return { kind: 'SubjectAccessReview', status: state.status };
      },
    },
    version: 'v1',
    authorizedMs: 5000,
    unauthorizedMs: 2000,
    onFailure: 'nothing',
    conditions: [],
    warn: (words) => warnings.push(words),
    now: () => state.now,
    ...options,
  });
  return { webhook, asked, warnings, state };
}

test('a review holds the user and the attributes of the request, without empty fields', async () => {
  const { webhook, asked } = fixture();
  assert.deepEqual(await webhook.ask(ann, list), { says: 'allow', reason: '' });
  const requirements = [
    { key: 'metadata.name', operator: 'In', values: ['x'] },
    { key: 'metadata.namespace', operator: 'NotIn', values: ['b'] },
  ];
  assert.deepEqual(asked[0], {
    kind: 'SubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    spec: {
      resourceAttributes: {
        namespace: 'a',
        verb: 'list',
        group: 'apps',
        version: 'v1',
        resource: 'deployments',
        name: 'x',
        fieldSelector: { requirements },
      },
      user: 'ann',
      groups: ['dev'],
      extra: { 'example.com/a': ['b'] },
      uid: '7',
    },
  });
});

test('v1beta1 names the groups differently, and non-resource paths are reviewed, too', async () => {
  const { webhook, asked } = fixture({ version: 'v1beta1' });
  await webhook.ask(
    { name: 'bob', uid: '', groups: ['dev'] },
    hypotheticalRequest({ isResource: false, verb: 'get', path: '/x' }),
  );
  const spec = { nonResourceAttributes: { path: '/x', verb: 'get' }, user: 'bob', group: ['dev'] };
  assert.deepEqual(asked, [{ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1beta1', spec }]);
});

test('allowed and denied answers are cached for their own times', async () => {
  const { webhook, asked, state } = fixture();
  await Promise.all([webhook.ask(ann, list), webhook.ask(ann, list)]);
  state.status = { allowed: false, denied: true, reason: 'never' };
  state.now = 4999;
  assert.equal(webhook.known(ann, list)?.says, 'allow');
  state.now = 5000;
  assert.equal(webhook.known(ann, list), undefined);
  assert.deepEqual(await webhook.ask(ann, list), { says: 'deny', reason: 'never' });
  state.now = 6999;
  assert.equal(webhook.known(ann, list)?.says, 'deny');
  state.now = 7000;
  assert.equal(webhook.known(ann, list), undefined);
  assert.equal(asked.length, 2);
});

test('an answer that allows and denies is a denial', async () => {
  const { webhook, state } = fixture();
  state.status = { allowed: true, denied: true };
  assert.equal((await webhook.ask(ann, list)).says, 'deny');
});

for (const [policy, says] of [
  ['nothing', 'nothing'],
  ['deny', 'deny'],
] as const) {
  test(`a failed call counts as ${says} by the failure policy, is logged and not cached`, async () => {
    const { webhook, state, warnings } = fixture({ onFailure: policy });
    state.status = undefined;
    assert.equal((await webhook.ask(ann, list)).says, says);
    assert.deepEqual(warnings, ['the authorization webhook hook could not be asked: it is away']);
    state.status = { allowed: true };
    assert.equal((await webhook.ask(ann, list)).says, 'allow');
  });
}

function conditions(...expressions: string[]) {
  const mistakes: FieldError[] = [];
  const read = readConditions(expressions, 'matchConditions', mistakes);
  return { read, mistakes: mistakes.map(({ field, message }) => `${field}: ${message}`) };
}

test('it is asked about requests that meet all conditions, and has no opinion on others', async () => {
  const { read } = conditions('has(request.resourceAttributes)', "request.resourceAttributes.namespace == 'a'");
  const { webhook, asked } = fixture({ conditions: read });
  const elsewhere = { ...list, namespace: 'b' };
  assert.equal(webhook.known(ann, elsewhere)?.says, 'nothing');
  assert.equal(
    (await webhook.ask(ann, hypotheticalRequest({ isResource: false, verb: 'get', path: '/x' }))).says,
    'nothing',
  );
  assert.equal(asked.length, 0);
  assert.equal((await webhook.ask(ann, list)).says, 'allow');
});

test('a condition that fails to evaluate counts as a failed call, unless another condition is false', () => {
  const fails = "request.extra['none'][0] == 'x'";
  const failing = fixture({ onFailure: 'deny', conditions: conditions(fails).read });
  assert.equal(failing.webhook.known(ann, list)?.says, 'deny');
  const unmet = fixture({ onFailure: 'deny', conditions: conditions(fails, "request.user != 'ann'").read });
  assert.equal(unmet.webhook.known(ann, list)?.says, 'nothing');
});

test('invalid conditions are reported with their fields', () => {
  const { mistakes } = conditions('', 'request.usr', "request.user == 'a'", "request.user == 'a'", 'request.user');
  assert.deepEqual(
    mistakes.map((words) => words.split('\n')[0]),
    [
      'matchConditions[0].expression: Required value',
      'matchConditions[1].expression: Invalid value: "request.usr": compilation failed: ERROR: <input>:1:8: undefined field \'usr\'',
      'matchConditions[3].expression: Duplicate value: "request.user == \'a\'"',
      'matchConditions[4].expression: Invalid value: "request.user": must evaluate to bool but got string',
    ],
  );
});
