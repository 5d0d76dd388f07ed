import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { type KubectlResult, kubectl, whyNoKubectl } from './support/kubectl.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('Built-in kinds with an unmodified kubectl', { skip: whyNoKubectl() ?? false }, () => {
  let tidegate: TestTidegate;
  let dir: string;
  const run = (...args: string[]) => kubectl(tidegate.kubeconfig, args, { HOME: dir });
  const ok = async (...args: string[]): Promise<string> => {
    const result: KubectlResult = await run(...args);
    assert.equal(result.code, 0, `kubectl ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const raw = async (path: string) => JSON.parse(await ok('get', '--raw', path));
  const manifest = (name: string, object: unknown): string => {
    const file = join(dir, `${name}.json`);
    writeFileSync(file, JSON.stringify(object));
    return file;
  };

  before(async () => {
    ({ tidegate } = await sharedSystem(COMPLETE));
    dir = mkdtempSync(join(tmpdir(), 'tidegate-kinds-test-'));
    await until('the default namespace', async () => (await run('get', 'namespace', 'default')).code === 0);
  });
  after(async () => {
    await tidegate.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('A deployment can be created, shown, scaled, labelled and given another image.', async () => {
    await ok('create', 'deployment', 'web', '--image=web:1');
    assert.match(
      await ok('get', 'deployment', 'web', '-o', 'wide'),
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb +0\/1 +0 +0 +\S+ +web +web:1 +app=web\n$/,
    );
    await ok('scale', 'deployment', 'web', '--replicas=3');
    await ok('label', 'deployment', 'web', 'tier=front');
    await ok('set', 'image', 'deployment/web', 'web=web:2');
    const shown = await ok(
      'get',
      'deployment',
      'web',
      '-o',
      'jsonpath={.spec.replicas} {.metadata.generation} {.spec.template.spec.containers[0].image}',
    );
    assert.equal(shown, '3 3 web:2');
    const scale = await raw('/apis/apps/v1/namespaces/default/deployments/web/scale');
    assert.deepEqual(
      [scale.kind, scale.spec, scale.status],
      ['Scale', { replicas: 3 }, { replicas: 0, selector: 'app=web' }],
    );
  });

  test('An object and its status are changed by separate paths.', async () => {
    await ok('create', 'deployment', 'parts', '--image=a');
    const patch = '{"spec":{"replicas":7},"status":{"replicas":5,"readyReplicas":4}}';
    await ok('patch', 'deployment', 'parts', '--type=merge', '--subresource=status', '-p', patch);
    const read = () =>
      ok(
        'get',
        'deployment',
        'parts',
        '-o',
        'jsonpath={.spec.replicas} {.status.readyReplicas} {.metadata.generation}',
      );
    assert.equal(await read(), '1 4 1');
    await ok(
      'patch',
      'deployment',
      'parts',
      '--type=merge',
      '-p',
      '{"spec":{"replicas":2},"status":{"readyReplicas":9}}',
    );
    assert.equal(await read(), '2 4 2');
    await ok('wait', 'deployment', 'parts', '--for=jsonpath={.status.replicas}=5', '--timeout=5s');
  });

  test('kubectl apply merges lists by key, diff shows changes, and explain shows fields.', async () => {
    const object = (image: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'merged' },
      spec: {
        containers: [
          { name: 'a', image, ports: [{ containerPort: 80 }] },
          { name: 'b', image: 'b' },
        ],
      },
    });
    await ok('apply', '-f', manifest('one', object('a:1')));
    assert.equal((await run('diff', '-f', manifest('two', object('a:2')))).code, 1);
    await ok('apply', '-f', manifest('two', object('a:2')));
    assert.equal(await ok('get', 'pod', 'merged', '-o', 'jsonpath={.spec.containers[*].image}'), 'a:2 b');
    assert.match(
      await ok('explain', 'pod.spec.containers.ports'),
      /FIELD: ports <\[\]ContainerPort>[\s\S]*protocol\t<string>\n {2}enum: SCTP, TCP, UDP/,
    );
    assert.match(await ok('describe', 'pod', 'merged'), /Name: +merged/);
  });

  test('An autoscaler is one object with two versions.', async () => {
    await ok('autoscale', 'deployment', 'web', '--name=scaler', '--max=3', '--cpu-percent=60');
    const path = 'namespaces/default/horizontalpodautoscalers';
    assert.equal(
      (await raw(`/apis/autoscaling/v2/${path}/scaler`)).spec.metrics[0].resource.target.averageUtilization,
      60,
    );
    const [old] = (await raw(`/apis/autoscaling/v1/${path}`)).items;
    // the list has the kind, its items do not
    assert.deepEqual([old.apiVersion, old.spec.targetCPUUtilizationPercentage], [undefined, 60]);
    const changed = {
      ...old,
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      spec: { ...old.spec, targetCPUUtilizationPercentage: 70 },
    };
    await ok('replace', '-f', manifest('scaler', changed));
    assert.equal(
      (await raw(`/apis/autoscaling/v2/${path}/scaler`)).spec.metrics[0].resource.target.averageUtilization,
      70,
    );
  });

  test('An event is one object in two groups, with the field selectors of each.', async () => {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'seen', namespace: 'default' },
      regarding: { kind: 'Pod', name: 'some-pod', namespace: 'default' },
      reason: 'Seen',
      note: 'hello',
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Look',
      reportingController: 'test',
      reportingInstance: 'test-1',
    };
    await ok('create', '-f', manifest('event', event));
    const core = await raw('/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dsome-pod');
    assert.deepEqual([core.items.length, core.items[0].message, core.apiVersion], [1, 'hello', 'v1']);
    const named = await raw('/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name%3Dsome-pod');
    assert.deepEqual([named.items.length, named.items[0].note, named.kind], [1, 'hello', 'EventList']);
    const seen = await ok('get', '--raw', '/apis/events.k8s.io/v1/namespaces/default/events?watch=1&timeoutSeconds=1');
    assert.match(seen, /^\{"type":"ADDED","object":\{.*"note":"hello"/);
  });

  test('The generators of kubectl create work for many kinds.', async () => {
    const made: ReadonlyArray<readonly string[]> = [
      ['job', 'once', '--image=a'],
      ['cronjob', 'often', '--image=a', '--schedule=* * * * *'],
      ['secret', 'generic', 'hidden', '--from-literal=a=b'],
      ['service', 'clusterip', 'front', '--tcp=80'],
      ['service', 'nodeport', 'side', '--tcp=80'],
      ['ingress', 'gate', '--rule=a.b/x=front:80'],
      ['quota', 'most', '--hard=pods=1'],
      ['poddisruptionbudget', 'least', '--selector=app=web', '--min-available=1'],
      ['priorityclass', 'high', '--value=5'],
      ['serviceaccount', 'robot'],
      ['role', 'reader', '--verb=get', '--resource=pods'],
      ['rolebinding', 'reads', '--role=reader', '--user=x'],
      ['clusterrole', 'a:b', '--verb=get', '--resource=pods'],
      ['clusterrolebinding', 'c:d', '--clusterrole=a:b', '--group=x'],
    ];
    for (const args of made) await ok('create', ...args);
    assert.equal(await ok('get', 'secret', 'hidden', '-o', 'jsonpath={.data.a}'), 'Yg==');
    assert.match(await ok('get', 'job', 'once'), /^NAME +STATUS +COMPLETIONS +DURATION +AGE\nonce +Running +0\/1 /);
    assert.equal(await ok('auth', 'can-i', 'delete', 'nodes'), 'yes\n');
  });

  test('The answer to a deletion is the object or a Status, depending on the kind.', async () => {
    await ok('create', 'serviceaccount', 'gone');
    await ok('create', 'configmap', 'gone');
    const kindOf = async (path: string) => JSON.parse(await ok('delete', '--raw', path)).kind;
    assert.equal(await kindOf('/api/v1/namespaces/default/serviceaccounts/gone'), 'ServiceAccount');
    assert.equal(await kindOf('/api/v1/namespaces/default/configmaps/gone'), 'Status');
  });

  test('A namespace is deleted with its contents.', async () => {
    await ok('create', 'namespace', 'full');
    await ok('create', 'deployment', 'inside', '-n', 'full', '--image=a');
    await ok('create', 'role', 'inside', '-n', 'full', '--verb=get', '--resource=pods');
    await ok('delete', 'namespace', 'full', '--timeout=20s');
    assert.equal((await raw('/apis/apps/v1/namespaces/full/deployments')).items.length, 0);
  });
});
