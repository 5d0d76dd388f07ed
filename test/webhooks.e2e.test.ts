import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { startWebhooks, type TestWebhooks, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { parseExposition } from './support/exposition.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const RULES = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];

/** Creates a configuration with one webhook for new ConfigMaps; returns a function that deletes it. */
async function configure(client: Client, name: string, webhook: object, kind = 'Validating') {
  const path = `${GROUP}/${kind.toLowerCase()}webhookconfigurations`;
  const whole = { sideEffects: 'None', admissionReviewVersions: ['v1'], rules: RULES, timeoutSeconds: 10, ...webhook };
  const body = { kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks: [{ name: 'a.b.c', ...whole }] };
  const made = await client.request('POST', path, { body });
  assert.equal(made.code, 201, made.text);
  return () => client.request('DELETE', `${path}/${name}`);
}

describe('Admission webhooks', () => {
  let system: RunningSystem;
  let client: Client;
  let webhooks: TestWebhooks;
  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
    webhooks = await startWebhooks();
  });
  after(async () => {
    await webhooks?.stop();
    await system?.stop();
  });

  const configured = (name: string, webhook: object, kind = 'Validating') => configure(client, name, webhook, kind);
  const hook = (behaviour: string) => ({ url: `${webhooks.url}/${behaviour}`, caBundle: webhooks.caBundle });
  let made = 0;
  const make = () => client.request('POST', MAPS, { body: configMap(`made-${made++}`) });

  test('A hanging webhook delays only its own requests, until its timeout.', async () => {
    const remove = await configured('silent', { clientConfig: hook('silence'), timeoutSeconds: 2 });
    let isOver = false;
    const waiting = make().finally(() => {
      isOver = true;
    });
    const other = await client.request('POST', '/api/v1/namespaces/default/secrets', {
      body: { metadata: { name: 's' } },
    });
    assert.equal(other.code, 201);
    assert.equal(isOver, false, 'the request still waits for the webhook');
    const { code, json } = await waiting;
    assert.deepEqual([code, json.reason], [500, 'InternalError']);
    assert.match(json.message, /failed calling webhook "a\.b\.c": .*\?timeout=2s": context deadline exceeded$/);
    await remove();
  });

  test('A webhook of a Service is called at an endpoint of the Service, with the certificate of its name.', async () => {
    const { port } = new URL(webhooks.url);
    const service = { metadata: { name: 'hooks' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
    await client.request('POST', '/api/v1/namespaces/default/services', { body: service });
    const reference = { namespace: 'default', name: 'hooks', port: Number(port), path: '/deny-with-message' };
    const { caBundle } = webhooks;
    const remove = await configured('of-a-service', { clientConfig: { service: reference, caBundle } });
    const { code, json } = await make();
    assert.deepEqual([code, json.message], [418, 'admission webhook "a.b.c" denied the request: no way']);
    await remove();
    const missing = { service: { ...reference, name: 'none' }, caBundle };
    const removeMissing = await configured('of-no-service', { clientConfig: missing });
    assert.match((await make()).json.message, /failed calling webhook "a\.b\.c": .*service "none" not found$/);
    await removeMissing();
  });

  test('A webhook with a wrong certificate or without a server rejects requests, unless failurePolicy is Ignore.', async () => {
    const wrong = { ...hook('allow'), caBundle: readFileSync(system.tidegate.caFile).toString('base64') };
    for (const [failurePolicy, code] of [
      ['Fail', 500],
      ['Ignore', 201],
    ] as const) {
      for (const clientConfig of [wrong, { url: 'https://127.0.0.1:1/' }, { url: 'https://169.254.169.254/' }]) {
        const remove = await configured('unreachable', { clientConfig, failurePolicy });
        const reply = await make();
        assert.equal(reply.code, code, reply.text);
        await remove();
      }
    }
  });

  test('A mutating webhook changes the stored and the returned object, once.', async () => {
    const remove = await configured('labels', { clientConfig: hook('count/once') }, 'Mutating');
    const { json } = await make();
    assert.deepEqual(json.metadata.annotations, { trace: 'once ' });
    const stored = await client.get(`${MAPS}/${json.metadata.name}`);
    assert.deepEqual(stored.json, json);
    await remove();
  });

  test('Failed calls are counted by webhook.', async () => {
    const { text } = await client.get('/metrics');
    assert.match(text, /^tidegate_gateway_webhook_failures_total\{name="a\.b\.c"\} [1-9]/m);
  });

  test('Calls, denials and ignored failures are counted as in kube-apiserver.', async () => {
    const metrics = parseExposition((await client.get('/metrics')).text, 'plain');
    const samples = (name: string) => metrics.get(name)?.samples ?? [];
    const call = { name: 'a.b.c', type: 'validating', operation: 'CREATE' };
    const rejections = samples('apiserver_admission_webhook_rejection_count').map(({ labels }) => labels);
    for (const [error_type, rejection_code] of [
      ['no_error', '418'],
      ['calling_webhook_error', '500'],
    ] as const)
      assert.ok(
        rejections.some((labels) => isDeepStrictEqual(labels, { ...call, error_type, rejection_code })),
        error_type,
      );
    const [open] = samples('apiserver_admission_webhook_fail_open_count');
    assert.deepEqual(open?.labels, { name: 'a.b.c', type: 'validating' });
    const seconds = samples('apiserver_admission_webhook_admission_duration_seconds');
    assert.ok(seconds.some(({ labels }) => labels.type === 'admit' && labels.rejected === 'false'));
    const sum = (name: string) =>
      samples(name)
        .filter((sample) => sample.name === `${name}_sum`)
        .reduce((all, { value }) => all + value, 0);
    const elsewhere = sum('apiserver_request_duration_seconds') - sum('apiserver_request_sli_duration_seconds');
    assert.ok(elsewhere > sum('apiserver_admission_webhook_admission_duration_seconds') / 2, `${elsewhere} s`);
  });
});

test('A webhook configuration takes effect on every gateway until it is deleted.', async () => {
  const { client, stop } = await sharedSystem(COMPLETE);
  after(stop);
  const webhooks = await startWebhooks();
  after(() => webhooks.stop());
  const clientConfig = { url: `${webhooks.url}/deny`, caBundle: webhooks.caBundle };
  let made = 0;
  // the connections are distributed over the gateways
  const codes = async () => {
    const replies = Array.from({ length: 24 }, () =>
      client.request('POST', MAPS, { body: configMap(`made-${made++}`) }),
    );
    return [...new Set((await Promise.all(replies)).map(({ code }) => code))];
  };
  const remove = await configure(client, 'everywhere', { clientConfig });
  await until('both gateways to call the webhook', async () => String(await codes()) === '400');
  assert.deepEqual(await codes(), [400]);
  await remove();
  await until('no gateway to call the webhook', async () => String(await codes()) === '201');
  assert.deepEqual(await codes(), [201]);
});
