import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bootstrapFlowObjects } from '@tidegate/flow-control';
import { until } from '@tidegate/testkit';
import { type Client, MAPS } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

describe('Flow control', () => {
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    system = await sharedSystem();
    client = system.client;
  });
  after(() => system?.stop());

  const specOf = async (path: string) => (await client.get(`${GROUP}/${path}`)).json.spec;
  const bootstrap = (kind: string, name: string) =>
    bootstrapFlowObjects().find((one) => one.kind === kind && one.name === name)?.spec;

  test('The levels and schemas of kube-apiserver exist, and deleted ones are created again.', async () => {
    for (const { kind, name, spec } of bootstrapFlowObjects()) {
      const resource = kind === 'FlowSchema' ? 'flowschemas' : 'prioritylevelconfigurations';
      assert.deepEqual(await specOf(`${resource}/${name}`), spec, name);
    }
    const { json } = await client.get(`${GROUP}/flowschemas/exempt`);
    assert.equal((await client.request('DELETE', `${GROUP}/flowschemas/exempt`)).code, 200);
    await until('the schema to be created again', async () => {
      const again = await client.get(`${GROUP}/flowschemas/exempt`);
      return again.code === 200 && again.json.metadata.uid !== json.metadata.uid;
    });
  });

  test('A changed mandatory level is restored; a suggested level is left to users who disable autoupdate.', async () => {
    const change = async (name: string, annotation: string) => {
      const metadata = { annotations: { 'apf.kubernetes.io/autoupdate-spec': annotation } };
      const body = { metadata, spec: { limited: { nominalConcurrencyShares: 77 } } };
      const reply = await client.request('PATCH', `${GROUP}/prioritylevelconfigurations/${name}`, {
        body,
        headers: MERGE,
      });
      assert.equal(reply.code, 200, reply.text);
    };
    await change('system', 'false');
    await change('catch-all', 'false');
    await until('catch-all to be restored', async () => {
      const spec = await specOf('prioritylevelconfigurations/catch-all');
      return spec.limited.nominalConcurrencyShares === 5;
    });
    assert.equal((await specOf('prioritylevelconfigurations/system')).limited.nominalConcurrencyShares, 77);
    await change('system', 'true');
    await until('the suggested level to be restored', async () => {
      const spec = await specOf('prioritylevelconfigurations/system');
      return spec.limited.nominalConcurrencyShares === 30;
    });
    assert.deepEqual(
      await specOf('prioritylevelconfigurations/system'),
      bootstrap('PriorityLevelConfiguration', 'system'),
    );
  });

  test('A condition of a flow schema reports whether its level exists.', async () => {
    const subjects = [{ kind: 'User', user: { name: 'ann' } }];
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
    const spec = {
      priorityLevelConfiguration: { name: 'of-ann' },
      matchingPrecedence: 300,
      rules: [{ subjects, resourceRules: [everything] }],
    };
    const made = await client.request('POST', `${GROUP}/flowschemas`, { body: { metadata: { name: 'ann' }, spec } });
    assert.equal(made.code, 201, made.text);
    const untilStatus = (status: string) =>
      until(`the condition to be ${status}`, async () => {
        const { json } = await client.get(`${GROUP}/flowschemas/ann`);
        return json.status?.conditions?.find((one: { status: string }) => one.status === status);
      });
    assert.equal(
      (await untilStatus('True')).message,
      'This FlowSchema references the PriorityLevelConfiguration object named "of-ann" but there is no such object',
    );
    const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } };
    const level = { metadata: { name: 'of-ann' }, spec: { type: 'Limited', limited } };
    await client.request('POST', `${GROUP}/prioritylevelconfigurations`, { body: level });
    assert.equal((await untilStatus('False')).reason, 'Found');
    await client.request('DELETE', `${GROUP}/prioritylevelconfigurations/of-ann`);
    await untilStatus('True');
    await client.request('DELETE', `${GROUP}/flowschemas/ann`);
  });

  const uidOf = async (path: string): Promise<string> => (await client.get(`${GROUP}/${path}`)).json.metadata.uid;
  const flowOf = (headers: Record<string, unknown>) => [
    headers['x-kubernetes-pf-flowschema-uid'],
    headers['x-kubernetes-pf-prioritylevel-uid'],
  ];

  test('Every answer has the uids of the schema and the level of its request.', async () => {
    const ofMasters = [await uidOf('flowschemas/exempt'), await uidOf('prioritylevelconfigurations/exempt')];
    const paths = ['/api', '/version', '/metrics', '/readyz', MAPS, `${MAPS}/none`, `${MAPS}?limit=x`, '/nothing'];
    for (const path of paths) assert.deepEqual(flowOf((await client.get(path)).headers), ofMasters, path);
    const anyone = [
      await uidOf('flowschemas/global-default'),
      await uidOf('prioritylevelconfigurations/global-default'),
    ];
    const rejected = await client.request('GET', MAPS, { token: 'bob-token' });
    assert.deepEqual([rejected.code, ...flowOf(rejected.headers)], [403, ...anyone]);
    const probes = [await uidOf('flowschemas/probes'), ofMasters[1]];
    assert.deepEqual(flowOf((await client.request('GET', '/livez', { token: '' })).headers), probes);
    const unknown = await client.request('GET', MAPS, { token: 'no-such-token' });
    assert.deepEqual([unknown.code, ...flowOf(unknown.headers)], [401, undefined, undefined]);
  });

  test('A request without a seat is rejected with the message of kube-apiserver.', async () => {
    const limited = { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } };
    const level = { metadata: { name: 'narrow' }, spec: { type: 'Limited', limited } };
    await client.request('POST', `${GROUP}/prioritylevelconfigurations`, { body: level });
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
    const subjects = [{ kind: 'User', user: { name: 'bob' } }];
    const spec = {
      priorityLevelConfiguration: { name: 'narrow' },
      matchingPrecedence: 50,
      rules: [{ subjects, resourceRules: [everything] }],
    };
    const made = await client.request('POST', `${GROUP}/flowschemas`, { body: { metadata: { name: 'narrow' }, spec } });
    const request = () => client.request('GET', MAPS, { token: 'bob-token' });
    await until('the schema to take effect', async () => {
      return (await request()).headers['x-kubernetes-pf-flowschema-uid'] === made.json.metadata.uid;
    });
    const replies = await Promise.all(Array.from({ length: 100 }, request));
    const rejected = replies.find(({ code }) => code === 429);
    assert.ok(rejected, 'at least one concurrent request is rejected');
    assert.equal(rejected.text, 'Too many requests, please try again later.\n');
    assert.equal(rejected.headers['retry-after'], '1');
    assert.match(String(rejected.headers['content-type']), /^text\/plain/);
    assert.equal(flowOf(rejected.headers)[0], made.json.metadata.uid);
    assert.ok(replies.some(({ code }) => code === 403));

    const metrics = (await client.get('/metrics')).text;
    const labels = 'priority_level="narrow",flow_schema="narrow"';
    assert.match(
      metrics,
      new RegExp(`apiserver_flowcontrol_rejected_requests_total{${labels},reason="concurrency-limit"} \\d`),
    );
    assert.match(metrics, new RegExp(`apiserver_flowcontrol_current_executing_requests{${labels}} 0`));
    assert.match(metrics, /apiserver_flowcontrol_nominal_limit_seats{priority_level="narrow"} 3/);
  });

  test('Authorized users can read the debug endpoints.', async () => {
    const place = '/debug/api_priority_and_fairness';
    const levels = (await client.get(`${place}/dump_priority_levels`)).text.split('\n');
    assert.match(levels[0] as string, /^PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, /);
    assert.match(
      levels.find((line) => line.startsWith('exempt')) as string,
      /^exempt, +0, +false, +false, +0, +1, +\d+, /,
    );
    const queues = (await client.get(`${place}/dump_queues`)).text.split('\n');
    assert.equal(queues.filter((line) => line.startsWith('leader-election,')).length, 16);
    const requests = await client.get(`${place}/dump_requests?includeRequestDetails=1`);
    assert.match(requests.text, /\nexempt, +exempt, +-1, +-1, +, .*, admin, +get, +\/debug\/api_priority_and_fairness/);
    assert.equal((await client.request('GET', `${place}/dump_queues`, { token: 'bob-token' })).code, 403);
    assert.equal((await client.get(`${place}/dump_nothing`)).code, 404);
  });

  test('A request is limited by the timeout of its client.', async () => {
    const late = await client.get(`${MAPS}?timeout=1ns`);
    assert.equal(late.code, 504);
    assert.equal(late.json.reason, 'Timeout');
    assert.equal(late.json.message, 'Timeout: request did not complete within the allotted timeout');
    for (const timeout of ['0', '-1s', '32s', '1000h']) {
      assert.equal((await client.get(`${MAPS}?timeout=${timeout}`)).code, 200, timeout);
    }
    const bad = await client.get(`${MAPS}?timeout=5`);
    assert.deepEqual(
      [bad.code, bad.json.message],
      [400, 'invalid timeout specified in the request URL - time: missing unit in duration "5"'],
    );
  });
});
