import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CERTIFICATE_REQUEST } from './support/certificate-request.ts';
import type { Client } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const CORE = '/api/v1/namespaces/default';
const PODS = `${CORE}/pods`;
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const containers = [{ name: 'main', image: 'app:1' }];

describe('Subresources', () => {
  let system: RunningSystem;
  let client: Client;
  const post = (path: string, body: unknown) => client.request('POST', path, { body });
  const patch = (path: string, body: unknown) => client.request('PATCH', path, { body, headers: MERGE });
  const pod = async (name: string, { labels = {}, status }: { labels?: object; status?: object } = {}) => {
    const made = await post(PODS, { metadata: { name, labels }, spec: { containers } });
    assert.equal(made.code, 201, made.text);
    if (status !== undefined) assert.equal((await patch(`${PODS}/${name}/status`, { status })).code, 200);
    return made.json;
  };
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const budget = async (name: string, status: object) => {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } };
    assert.equal((await post(BUDGETS, { metadata: { name }, spec })).code, 201);
    assert.equal(
      (await patch(`${BUDGETS}/${name}/status`, { status: { observedGeneration: 1, ...status } })).code,
      200,
    );
  };

  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
  });
  after(() => system.stop());

  describe('binding', () => {
    const target = { kind: 'Node', name: 'node-1' };

    test('A binding assigns a pod to a node, once.', async () => {
      await pod('bound');
      const binding = { metadata: { name: 'bound', annotations: { by: 'test' } }, target };
      const done = await post(`${PODS}/bound/binding`, binding);
      assert.deepEqual(
        [done.code, done.json],
        [201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }],
      );
      const { metadata, spec, status } = (await client.get(`${PODS}/bound`)).json;
      assert.deepEqual([spec.nodeName, metadata.annotations, metadata.generation], ['node-1', { by: 'test' }, 1]);
      assert.deepEqual(
        status.conditions.map(({ type, status: is }: Record<string, string>) => [type, is]),
        [['PodScheduled', 'True']],
      );
      const again = await post(`${PODS}/bound/binding`, {
        metadata: { name: 'bound' },
        target: { ...target, name: 'node-2' },
      });
      assert.deepEqual(
        [again.code, again.json.message],
        [409, 'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "node-1"'],
      );
    });

    test('The resource bindings works, too, and a dry run has no effect.', async () => {
      await pod('old');
      assert.equal((await post(`${CORE}/bindings?dryRun=All`, { metadata: { name: 'old' }, target })).code, 201);
      assert.equal((await client.get(`${PODS}/old`)).json.spec.nodeName, undefined);
      assert.equal((await post(`${CORE}/bindings`, { metadata: { name: 'old' }, target })).code, 201);
      assert.equal((await client.get(`${PODS}/old`)).json.spec.nodeName, 'node-1');
    });

    test('The name in a binding must match the path.', async () => {
      await pod('named');
      const refused = await post(`${PODS}/named/binding`, { metadata: { name: 'another' }, target });
      assert.deepEqual(
        [refused.code, refused.json.message],
        [400, 'name in URL does not match name in Binding object'],
      );
    });

    test('A binding with a uid applies only to that pod.', async () => {
      await pod('other');
      const refused = await post(`${PODS}/other/binding`, { metadata: { name: 'other', uid: 'of-another' }, target });
      assert.equal(refused.code, 409);
      assert.equal((await post(`${PODS}/nobody/binding`, { metadata: { name: 'nobody' }, target })).code, 404);
      assert.equal((await client.get(`${PODS}/other/binding`)).code, 405);
    });
  });

  describe('eviction', () => {
    const evict = (name: string, rest: object = {}, query = '') =>
      post(`${PODS}/${name}/eviction${query}`, { metadata: { name }, ...rest });

    test('An eviction deletes a pod without a budget.', async () => {
      await pod('uncounted', { status: ready });
      assert.deepEqual(
        [(await evict('uncounted', {}, '?dryRun=All')).code, (await client.get(`${PODS}/uncounted`)).code],
        [201, 200],
      );
      assert.deepEqual(
        [(await evict('uncounted')).json.status, (await client.get(`${PODS}/uncounted`)).code],
        ['Success', 404],
      );
    });

    test('An eviction uses the budget and is rejected when the budget is exhausted.', async () => {
      await budget('guarded', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 });
      for (const name of ['guarded-1', 'guarded-2']) await pod(name, { labels: { app: 'guarded' }, status: ready });
      assert.equal((await evict('guarded-1')).code, 201);
      const { status } = (await client.get(`${BUDGETS}/guarded`)).json;
      assert.deepEqual([status.disruptionsAllowed, Object.keys(status.disruptedPods)], [0, ['guarded-1']]);
      const refused = await evict('guarded-2');
      assert.deepEqual(
        [refused.code, refused.json.reason, refused.json.message],
        [429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget."],
      );
      const [cause] = refused.json.details.causes;
      assert.equal(cause.reason, 'DisruptionBudget');
      assert.match(cause.message, /^The disruption budget guarded does not allow evicting pods currently/);
      assert.equal((await client.get(`${PODS}/guarded-2`)).code, 200);
    });

    test('Concurrent evictions do not exceed the budget.', async () => {
      await budget('rushed', { disruptionsAllowed: 3, currentHealthy: 8, desiredHealthy: 5, expectedPods: 8 });
      const names = Array.from({ length: 8 }, (_, i) => `rushed-${i}`);
      for (const name of names) await pod(name, { labels: { app: 'rushed' }, status: ready });
      const codes = (await Promise.all(names.map((name) => evict(name)))).map(({ code }) => code);
      assert.deepEqual(codes.sort(), [201, 201, 201, 429, 429, 429, 429, 429]);
      assert.equal((await client.get(`${PODS}?labelSelector=app=rushed`)).json.items.length, 5);
    });

    test('An eviction of an unhealthy pod does not use the budget if enough pods are healthy.', async () => {
      await budget('sick', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 });
      await pod('sick-1', { labels: { app: 'sick' }, status: { phase: 'Running' } });
      assert.equal((await evict('sick-1')).code, 201);
      assert.equal((await client.get(`${BUDGETS}/sick`)).json.status.disruptedPods, undefined);
    });

    test('The preconditions of an eviction are checked.', async () => {
      await pod('exact', { status: ready });
      const refused = await evict('exact', { deleteOptions: { preconditions: { uid: 'of-another' } } });
      assert.equal(refused.code, 409);
      const { uid, resourceVersion } = (await client.get(`${PODS}/exact`)).json.metadata;
      assert.equal((await evict('exact', { deleteOptions: { preconditions: { uid, resourceVersion } } })).code, 201);
    });
  });

  test('Ephemeral containers can be added but not changed.', async () => {
    await pod('debugged');
    const path = `${PODS}/debugged/ephemeralcontainers`;
    const added = await client.request('PATCH', path, {
      body: {
        metadata: { labels: { sneaked: 'in' } },
        spec: { ephemeralContainers: [{ name: 'debug', image: 'tool:1' }] },
      },
      headers: { 'Content-Type': 'application/strategic-merge-patch+json' },
    });
    assert.equal(added.code, 200, added.text);
    assert.deepEqual([added.json.spec.ephemeralContainers[0].image, added.json.metadata.labels], ['tool:1', undefined]);
    assert.equal((await client.get(path)).json.kind, 'Pod');
    const changed = await patch(path, { spec: { ephemeralContainers: [{ name: 'debug', image: 'tool:2' }] } });
    assert.equal(changed.code, 422);
    assert.match(
      changed.json.message,
      /spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be changed/,
    );
    assert.match((await patch(path, { spec: { ephemeralContainers: [] } })).json.message, /may not be removed/);
  });

  test('A resize changes only resources and keeps the QoS class of the pod.', async () => {
    const requesting = (cpu: string) => [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }];
    assert.equal(
      (await post(PODS, { metadata: { name: 'resized' }, spec: { containers: requesting('1') } })).code,
      201,
    );
    const body = { spec: { containers: [{ ...requesting('100m')[0], image: 'sneaked:in' }] } };
    const { code, json } = await patch(`${PODS}/resized/resize`, body);
    assert.equal(code, 200);
    const [{ image, resources }] = json.spec.containers;
    assert.deepEqual([image, resources, json.metadata.generation], ['app:1', { requests: { cpu: '100m' } }, 2]);
    await pod('modest');
    const refused = await patch(`${PODS}/modest/resize`, { spec: { containers: requesting('1') } });
    assert.match(
      refused.json.message,
      /spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing/,
    );
  });

  test('Certificates are approved and issued by separate subresources.', async () => {
    const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const spec = {
      request: CERTIFICATE_REQUEST,
      signerName: 'example.com/signer',
      usages: ['client auth'],
    };
    const made = await post(requests, { metadata: { name: 'wanted' }, spec });
    assert.equal(made.code, 201, made.text);
    const approved = { type: 'Approved', status: 'True', reason: 'Test' };
    await patch(`${requests}/wanted/status`, { status: { conditions: [approved] } });
    assert.equal((await client.get(`${requests}/wanted`)).json.status?.conditions, undefined);
    const { status } = (
      await patch(`${requests}/wanted/approval`, { status: { conditions: [approved], certificate: 'c25lYWtlZA==' } })
    ).json;
    assert.deepEqual([status.conditions[0].type, status.certificate], ['Approved', undefined]);
    assert.ok(status.conditions[0].lastUpdateTime);
  });
});
