import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { startWebhooks, type TestWebhooks, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { AUDIT_LOG, OBSERVED } from './support/observed.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const SECRET = 'not-for-anybody-7c1e';

// biome-ignore lint/suspicious/noExplicitAny: tests read all fields of events
type Event = any;

describe('The audit log', () => {
  let system: RunningSystem;
  let client: Client;
  let webhooks: TestWebhooks;
  before(async () => {
    system = await sharedSystem(OBSERVED);
    ({ client } = system);
    webhooks = await startWebhooks();
  });
  after(async () => {
    await webhooks?.stop();
    await system?.stop();
  });

  const text = () => (existsSync(AUDIT_LOG) ? readFileSync(AUDIT_LOG, 'utf8') : '');
  const eventsOf = (id: string): Event[] =>
    text()
      .split('\n')
      .filter((line) => line.includes(id))
      .map((line) => JSON.parse(line));
  let sent = 0;
  /** Sends a request with a unique audit id; returns the answer and its events. */
  const audited = async (method: string, path: string, options: Parameters<Client['request']>[2] = {}) => {
    const id = `audited-${sent++}-`;
    const headers = { 'Audit-Id': id, ...options.headers };
    const reply = await client.request(method, path, { ...options, headers });
    await until(`the end of ${id} to be recorded`, async () => eventsOf(id).at(-1)?.stage === 'ResponseComplete');
    const events = eventsOf(id);
    return { reply, events, event: events.at(-1) };
  };

  test('An event contains user, object, times, source addresses, user agent and result of a request.', async () => {
    const { events, event } = await audited('POST', MAPS, {
      body: configMap('recorded'),
      headers: { 'User-Agent': 'tester/1', 'X-Forwarded-For': '203.0.113.7, nonsense' },
    });
    assert.deepEqual(
      events.map(({ stage }) => stage),
      ['RequestReceived', 'ResponseComplete'],
    );
    const { user, objectRef, annotations, requestReceivedTimestamp, stageTimestamp, ...rest } = event;
    assert.equal(user.username, 'admin');
    assert.ok(user.groups.includes('system:masters'));
    assert.deepEqual(objectRef, { resource: 'configmaps', namespace: 'default', name: 'recorded', apiVersion: 'v1' });
    assert.equal(annotations['authorization.k8s.io/decision'], 'allow');
    assert.match(requestReceivedTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(stageTimestamp >= requestReceivedTimestamp);
    const { kind, apiVersion, level, verb, requestURI, sourceIPs, userAgent, responseStatus, requestObject } = rest;
    assert.deepEqual(
      { kind, apiVersion, level, verb, requestURI, sourceIPs, userAgent, responseStatus },
      {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Request',
        verb: 'create',
        requestURI: MAPS,
        sourceIPs: ['203.0.113.7', '127.0.0.1'],
        userAgent: 'tester/1',
        responseStatus: { metadata: {}, code: 201 },
      },
    );
    assert.equal(requestObject.metadata.name, 'recorded');
    assert.equal(rest.responseObject, undefined);
  });

  test('Events contain answers of every encoding, without managedFields if the policy omits them.', async () => {
    const forms = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/cbor', 'application/yaml'];
    for (const accept of forms) {
      for (const path of [MAPS, `${MAPS}/recorded`]) {
        const { event } = await audited('GET', path, { headers: { Accept: accept, 'Accept-Encoding': 'gzip' } });
        const { responseObject, level } = event;
        assert.equal(level, 'RequestResponse');
        const one =
          path === MAPS
            ? responseObject.items.find((item: Event) => item.metadata.name === 'recorded')
            : responseObject;
        assert.equal(one.metadata.name, 'recorded', accept);
        assert.equal(one.metadata.managedFields, undefined);
      }
    }
    const { event } = await audited('GET', `${MAPS}/none`);
    assert.deepEqual([event.responseObject.reason, event.responseStatus.code], ['NotFound', 404]);
  });

  test('Events explain rejected requests: 401, 403, 404 and 413.', async () => {
    const unauthenticated = await audited('GET', MAPS, { token: `${SECRET}-token` });
    assert.deepEqual(
      [unauthenticated.event.user.username, unauthenticated.event.responseStatus.reason],
      ['', 'Unauthorized'],
    );
    assert.equal(
      unauthenticated.event.annotations['authentication.tidegate/reason'],
      'no authenticator recognizes the token',
    );
    assert.equal(unauthenticated.reply.text.includes('recognizes the token'), false);
    const forbidden = await audited('GET', MAPS, { token: 'ann-token' });
    assert.equal(forbidden.event.annotations['authorization.k8s.io/decision'], 'forbid');
    assert.match(forbidden.event.responseStatus.message, /User "ann" cannot list resource "configmaps"/);
    const impersonation = await audited('GET', MAPS, { token: 'ann-token', headers: { 'Impersonate-User': 'root' } });
    assert.match(impersonation.event.responseStatus.message, /User "ann" cannot impersonate resource "users"/);
    const notFound = await audited('GET', '/api/v1/namespaces/..%2fkube-system/pods');
    assert.equal(notFound.event.responseStatus.code, 404);
    const large = await audited('POST', MAPS, { body: Buffer.alloc((3 << 20) + 1, 0x20) });
    assert.equal(large.event.responseStatus.code, 413);
  });

  test('Events name the impersonated user, and a watch has an event at its start and its end.', async () => {
    const impersonated = await audited('GET', `${MAPS}/recorded`, { headers: { 'Impersonate-User': 'ann' } });
    assert.deepEqual(
      [impersonated.event.user.username, impersonated.event.impersonatedUser.username],
      ['admin', 'ann'],
    );
    assert.equal(impersonated.reply.code, 403);
    const { events } = await audited('GET', `${MAPS}?watch=1&timeoutSeconds=1`);
    assert.deepEqual(
      events.map(({ stage }) => stage),
      ['ResponseStarted', 'ResponseComplete'],
    );
  });

  test('The log never contains Secrets or tokens, and every line is an event.', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const body = { metadata: { name: 's' }, stringData: { password: SECRET } };
    assert.equal((await audited('POST', secrets, { body })).reply.code, 201);
    await audited('GET', secrets);
    await audited('PATCH', `${secrets}/s`, {
      body: { stringData: { more: SECRET } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    await audited('GET', `/api/v1/namespaces/default/services/x/proxy/a?access_token=${SECRET}&b=1`);
    const review = { spec: { token: SECRET } };
    await audited('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: review });
    await audited('GET', `${MAPS}/recorded`, { headers: { 'User-Agent': 'a\t{"kind":"Secret"}' } });
    assert.equal(text().includes(SECRET), false);
    assert.equal(text().includes(Buffer.from(SECRET).toString('base64')), false);
    assert.equal(text().includes(system.tidegate.token), false);
    for (const line of text().trim().split('\n')) assert.equal(JSON.parse(line).kind, 'Event');
  });

  test('Events contain the audit annotations of policies.', async () => {
    const admission = '/apis/admissionregistration.k8s.io/v1';
    const policy = {
      metadata: { name: 'noted' },
      spec: {
        matchConstraints: {
          resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        },
        validations: [{ expression: "object.metadata.name != 'odd'", message: 'it is odd' }],
        auditAnnotations: [{ key: 'length', valueExpression: "'of ' + string(object.metadata.name.size())" }],
      },
    };
    const binding = {
      metadata: { name: 'noted' },
      spec: { policyName: 'noted', validationActions: ['Audit'] },
    };
    assert.equal(
      (await client.request('POST', `${admission}/validatingadmissionpolicies`, { body: policy })).code,
      201,
    );
    const bindings = `${admission}/validatingadmissionpolicybindings`;
    assert.equal((await client.request('POST', bindings, { body: binding })).code, 201);
    const { reply, event } = await audited('POST', MAPS, { body: configMap('odd') });
    assert.equal(reply.code, 201);
    assert.equal(event.annotations['noted/length'], 'of 3');
    assert.deepEqual(JSON.parse(event.annotations['validation.policy.admission.k8s.io/validation_failure']), [
      { message: 'it is odd', policy: 'noted', binding: 'noted', validationActions: ['Audit'] },
    ]);
  });
});
