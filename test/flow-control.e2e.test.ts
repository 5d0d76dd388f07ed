import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bootstrapFlowObjects } from '@tidegate/flow-control';
import { until } from '@tidegate/testkit';
import { type Client, MAPS } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

describe('flow control', () => {
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

  test('has the levels and schemas of kube-apiserver from the beginning, and makes again what is deleted', async () => {
    for (const { kind, name, spec } of bootstrapFlowObjects()) {
      const resource = kind === 'FlowSchema' ? 'flowschemas' : 'prioritylevelconfigurations';
      assert.deepEqual(await specOf(`${resource}/${name}`), spec, name);
    }
    const { json } = await client.get(`${GROUP}/flowschemas/exempt`);
    assert.equal((await client.ask('DELETE', `${GROUP}/flowschemas/exempt`)).code, 200);
    await until('the schema to be made again', async () => {
      const again = await client.get(`${GROUP}/flowschemas/exempt`);
      return again.code === 200 && again.json.metadata.uid !== json.metadata.uid;
    });
  });

  test('puts a mandatory level right, and leaves a suggested one to who takes it over', async () => {
    const change = async (name: string, annotation: string) => {
      const metadata = { annotations: { 'apf.kubernetes.io/autoupdate-spec': annotation } };
      const body = { metadata, spec: { limited: { nominalConcurrencyShares: 77 } } };
      const reply = await client.ask('PATCH', `${GROUP}/prioritylevelconfigurations/${name}`, { body, headers: MERGE });
      assert.equal(reply.code, 200, reply.text);
    };
    await change('system', 'false');
    await change('catch-all', 'false');
    await until('catch-all to be put right', async () => {
      const spec = await specOf('prioritylevelconfigurations/catch-all');
      return spec.limited.nominalConcurrencyShares === 5;
    });
    assert.equal((await specOf('prioritylevelconfigurations/system')).limited.nominalConcurrencyShares, 77);
    await change('system', 'true');
    await until('the suggested level to be put right', async () => {
      const spec = await specOf('prioritylevelconfigurations/system');
      return spec.limited.nominalConcurrencyShares === 30;
    });
    assert.deepEqual(
      await specOf('prioritylevelconfigurations/system'),
      bootstrap('PriorityLevelConfiguration', 'system'),
    );
  });

  test('says of a flow schema whether its level is there', async () => {
    const subjects = [{ kind: 'User', user: { name: 'ann' } }];
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
    const spec = {
      priorityLevelConfiguration: { name: 'of-ann' },
      matchingPrecedence: 300,
      rules: [{ subjects, resourceRules: [everything] }],
    };
    const made = await client.ask('POST', `${GROUP}/flowschemas`, { body: { metadata: { name: 'ann' }, spec } });
    assert.equal(made.code, 201, made.text);
    const told = (status: string) =>
      until(`the condition to be ${status}`, async () => {
        const { json } = await client.get(`${GROUP}/flowschemas/ann`);
        return json.status?.conditions?.find((one: { status: string }) => one.status === status);
      });
    assert.equal(
      (await told('True')).message,
      'This FlowSchema references the PriorityLevelConfiguration object named "of-ann" but there is no such object',
    );
    const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } };
    const level = { metadata: { name: 'of-ann' }, spec: { type: 'Limited', limited } };
    await client.ask('POST', `${GROUP}/prioritylevelconfigurations`, { body: level });
    assert.equal((await told('False')).reason, 'Found');
    await client.ask('DELETE', `${GROUP}/prioritylevelconfigurations/of-ann`);
    await told('True');
    await client.ask('DELETE', `${GROUP}/flowschemas/ann`);
  });

  const uidOf = async (path: string): Promise<string> => (await client.get(`${GROUP}/${path}`)).json.metadata.uid;
  const flowOf = (headers: Record<string, unknown>) => [
    headers['x-kubernetes-pf-flowschema-uid'],
    headers['x-kubernetes-pf-prioritylevel-uid'],
  ];

  test('tells on every answer of which schema and level the request is, by their uids', async () => {
    const ofMasters = [await uidOf('flowschemas/exempt'), await uidOf('prioritylevelconfigurations/exempt')];
    const paths = ['/api', '/version', '/metrics', '/readyz', MAPS, `${MAPS}/none`, `${MAPS}?limit=x`, '/nothing'];
    for (const path of paths) assert.deepEqual(flowOf((await client.get(path)).headers), ofMasters, path);
    const anyone = [
      await uidOf('flowschemas/global-default'),
      await uidOf('prioritylevelconfigurations/global-default'),
    ];
    const refused = await client.ask('GET', MAPS, { token: 'bob-token' });
    assert.deepEqual([refused.code, ...flowOf(refused.headers)], [403, ...anyone]);
    const probes = [await uidOf('flowschemas/probes'), ofMasters[1]];
    assert.deepEqual(flowOf((await client.ask('GET', '/livez', { token: '' })).headers), probes);
    const unknown = await client.ask('GET', MAPS, { token: 'no-such-token' });
    assert.deepEqual([unknown.code, ...flowOf(unknown.headers)], [401, undefined, undefined]);
  });

  test('refuses in the words that clients know what finds no seat', async () => {
    const limited = { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } };
    const level = { metadata: { name: 'narrow' }, spec: { type: 'Limited', limited } };
    await client.ask('POST', `${GROUP}/prioritylevelconfigurations`, { body: level });
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
    const subjects = [{ kind: 'User', user: { name: 'bob' } }];
    const spec = {
      priorityLevelConfiguration: { name: 'narrow' },
      matchingPrecedence: 50,
      rules: [{ subjects, resourceRules: [everything] }],
    };
    const made = await client.ask('POST', `${GROUP}/flowschemas`, { body: { metadata: { name: 'narrow' }, spec } });
    const ask = () => client.ask('GET', MAPS, { token: 'bob-token' });
    await until('the schema to be known', async () => {
      return (await ask()).headers['x-kubernetes-pf-flowschema-uid'] === made.json.metadata.uid;
    });
    const replies = await Promise.all(Array.from({ length: 100 }, ask));
    const refused = replies.find(({ code }) => code === 429);
    assert.ok(refused, 'one of many at a time is refused');
    assert.equal(refused.text, 'Too many requests, please try again later.\n');
    assert.equal(refused.headers['retry-after'], '1');
    assert.match(String(refused.headers['content-type']), /^text\/plain/);
    assert.equal(flowOf(refused.headers)[0], made.json.metadata.uid);
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

  test('shows what it does, to those who may see it', async () => {
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
    assert.equal((await client.ask('GET', `${place}/dump_queues`, { token: 'bob-token' })).code, 403);
    assert.equal((await client.get(`${place}/dump_nothing`)).code, 404);
  });

  test('a request takes no longer than its client gives it', async () => {
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
