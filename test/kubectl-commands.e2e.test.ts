import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { CERTIFICATE_REQUEST } from './support/certificate-request.ts';
import { type KubectlResult, kubectl, whyNoKubectl } from './support/kubectl.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('Commands of an unmodified kubectl', { skip: whyNoKubectl() ?? false }, () => {
  let tidegate: TestTidegate;
  let dir: string;
  const run = (...args: string[]) => kubectl(tidegate.kubeconfig, args, { HOME: dir });
  const ok = async (line: string, ...more: string[]): Promise<string> => {
    const args = [...line.split(' '), ...more];
    const result: KubectlResult = await run(...args);
    assert.equal(result.code, 0, `kubectl ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const jsonpath = (what: string, path: string) => ok(`get ${what} -o`, `jsonpath={${path}}`);
  const manifest = (name: string, object: unknown): string => {
    const file = join(dir, `${name}.json`);
    writeFileSync(file, JSON.stringify(object));
    return file;
  };

  before(async () => {
    ({ tidegate } = await sharedSystem(COMPLETE));
    dir = mkdtempSync(join(tmpdir(), 'tidegate-kubectl-commands-'));
    await until('the Service kubernetes', async () => (await run('get', 'endpointslice', 'kubernetes')).code === 0);
  });
  after(async () => {
    await tidegate.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const GENERATED: ReadonlyArray<readonly [line: string, made: string]> = [
    ['create deployment web --image=web:1 --replicas=2', 'deployment.apps/web'],
    ['create job once --image=job:1', 'job.batch/once'],
    ['create cronjob nightly --image=job:1 --schedule=@daily', 'cronjob.batch/nightly'],
    ['create job by-hand --from=cronjob/nightly', 'job.batch/by-hand'],
    ['create service clusterip inner --tcp=80:8080', 'service/inner'],
    ['create service nodeport outer --tcp=80:8080', 'service/outer'],
    ['create service loadbalancer balanced --tcp=80:8080', 'service/balanced'],
    ['create service externalname elsewhere --external-name=example.com', 'service/elsewhere'],
    ['create ingress front --rule=example.com/*=inner:80', 'ingress.networking.k8s.io/front'],
    ['create role reader --verb=get,list --resource=pods', 'role.rbac.authorization.k8s.io/reader'],
    ['create rolebinding reading --role=reader --user=ada', 'rolebinding.rbac.authorization.k8s.io/reading'],
    ['create clusterrole watcher --verb=watch --resource=nodes', 'clusterrole.rbac.authorization.k8s.io/watcher'],
    [
      'create clusterrolebinding watching --clusterrole=watcher --group=team',
      'clusterrolebinding.rbac.authorization.k8s.io/watching',
    ],
    ['create quota small --hard=pods=2,services=1 -n kube-public', 'resourcequota/small'],
    ['create priorityclass urgent --value=1000', 'priorityclass.scheduling.k8s.io/urgent'],
    ['create poddisruptionbudget steady --selector=app=web --min-available=1', 'poddisruptionbudget.policy/steady'],
    ['create serviceaccount robot', 'serviceaccount/robot'],
    ['create secret generic words --from-literal=a=b', 'secret/words'],
    [
      'create secret docker-registry pull --docker-server=r.example --docker-username=u --docker-password=p',
      'secret/pull',
    ],
    ['create configmap notes --from-literal=a=b', 'configmap/notes'],
    ['create namespace apart', 'namespace/apart'],
  ];

  const NAMESPACES = ['default', 'kube-public'];
  const madeIn = (namespace: string): string[] =>
    GENERATED.filter(([line]) => line.includes('-n kube-public') === (namespace === 'kube-public')).map(
      ([, made]) => made,
    );

  test('Every generator creates its object.', async () => {
    for (const [line, made] of GENERATED) assert.equal(await ok(line), `${made} created\n`);
  });

  test('Every created object can be described.', async () => {
    for (const namespace of NAMESPACES) {
      const made = madeIn(namespace);
      const described = await ok(`describe -n ${namespace}`, ...made);
      const names = [...described.matchAll(/^Name: +(\S+)/gm)].map(([, name]) => name);
      assert.deepEqual(
        names,
        made.map((what) => what.split('/')[1]),
      );
    }
    assert.match(
      await ok('describe service kubernetes'),
      /^Name: +kubernetes\n[\s\S]*IP: +10\.0\.0\.1\n[\s\S]*Endpoints: +\d/,
    );
    assert.match(await ok('describe serviceaccount default'), /^Name: +default\n/);
  });

  test('Services show their addresses.', async () => {
    assert.match(await ok('get service outer'), /\nouter +NodePort +10\.0\.\d+\.\d+ +<none> +80:3\d{4}\/TCP /);
    assert.match(await ok('get service elsewhere'), /\nelsewhere +ExternalName +<none> +example\.com +<none> /);
    assert.equal(await ok('expose deployment web --port=80 --target-port=8080'), 'service/web exposed\n');
    assert.match(await jsonpath('service/web', '.spec.clusterIP'), /^10\.0\./);
  });

  test('A deployment can be scaled, updated, labelled and annotated, and rollout status waits for it.', async () => {
    await ok('scale deployment web --replicas=3');
    await ok('set image deployment/web web=web:2');
    await ok('set env deployment/web MODE=test');
    await ok('label deployment web tier=front');
    await ok('annotate deployment web note=hello');
    const shown = await jsonpath(
      'deployment/web',
      '.spec.replicas} {.spec.template.spec.containers[0].image} {.metadata.labels.tier} {.metadata.annotations.note',
    );
    assert.equal(shown, '3 web:2 front hello');
    const status = (replicas: number) => {
      const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
      const conditions = [{ type: 'Available', status: 'True' }];
      return JSON.stringify({ status: { ...counts, observedGeneration: 99, conditions } });
    };
    assert.equal((await run('rollout', 'status', 'deployment/web', '--timeout=1s')).code, 1);
    await ok('patch deployment web --subresource=status --type=merge -p', status(3));
    assert.match(await ok('rollout status deployment/web --timeout=10s'), /successfully rolled out/);
    assert.match(await ok('wait deployment/web --for=condition=Available --timeout=10s'), /condition met/);
    assert.match(
      await ok('wait deployment/web --for=jsonpath={.status.readyReplicas}=3 --timeout=10s'),
      /condition met/,
    );
    assert.match(await ok('rollout pause deployment/web'), /paused/);
    assert.match(await ok('rollout resume deployment/web'), /resumed/);
    assert.match(await ok('rollout restart deployment/web'), /restarted/);
  });

  test('rollout history and undo use the replica sets of a deployment.', async () => {
    const { uid } = JSON.parse(await ok('get deployment web -o json')).metadata;
    for (const revision of [1, 2]) {
      const labels = { app: 'web', 'pod-template-hash': `h${revision}` };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: `web:old-${revision}` }] } };
      const metadata = {
        name: `web-h${revision}`,
        labels,
        annotations: { 'deployment.kubernetes.io/revision': String(revision) },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true }],
      };
      const set = {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata,
        spec: { selector: { matchLabels: labels }, template },
      };
      await ok('create -f', manifest(`set-${revision}`, set));
    }
    assert.match(await ok('rollout history deployment/web'), /REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/);
    assert.match(await ok('rollout undo deployment/web --to-revision=1'), /rolled back/);
    assert.equal(await jsonpath('deployment/web', '.spec.template.spec.containers[0].image'), 'web:old-1');
  });

  test('A token of a service account authenticates it.', async () => {
    const token = (await ok('create token robot --duration=20m')).trim();
    const config = join(dir, 'robot.kubeconfig');
    const cluster = { server: tidegate.server, 'certificate-authority': tidegate.caFile };
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'robot',
        clusters: [{ name: 'here', cluster }],
        users: [{ name: 'robot', user: { token } }],
        contexts: [{ name: 'robot', context: { cluster: 'here', user: 'robot' } }],
      }),
    );
    const refused = await kubectl(config, ['get', 'pods'], { HOME: dir });
    assert.match(refused.stderr, /User "system:serviceaccount:default:robot" cannot list resource "pods"/);
    assert.equal((await kubectl(config, ['api-resources', '--api-group=batch'], { HOME: dir })).code, 0);
  });

  test('auth can-i and auth whoami work.', async () => {
    assert.equal(await ok('auth can-i create deployments'), 'yes\n');
    assert.match(await ok('auth can-i --list'), /\*\.\* +\[\] +\[\] +\[\*\]/);
    assert.match(await ok('auth whoami'), /Username +\S+/);
  });

  test('Server-side apply detects conflicts and takes over fields of client-side apply.', async () => {
    const wished = (name: string, value: string) =>
      manifest(name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned' }, data: { value } });
    await ok('apply -f', wished('by-client', '1'));
    await ok('apply --server-side -f', wished('by-server', '2'));
    assert.equal(await jsonpath('cm/owned', '.data.value'), '2');
    const refused = await run('apply', '--server-side', '--field-manager=other', '-f', wished('by-other', '3'));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Apply failed with 1 conflict: conflict with "kubectl": \.data\.value/);
    const diff = await run('diff', '--server-side', '--force-conflicts', '-f', wished('compared', '4'));
    assert.equal(diff.code, 1, diff.stderr);
    assert.match(diff.stdout, /\+ {2}value: "4"/);
    await ok('apply --server-side --force-conflicts --field-manager=other -f', wished('by-force', '3'));
    assert.equal(await jsonpath('cm/owned', '.data.value'), '3');
    assert.match(await jsonpath('cm/owned', '.metadata.managedFields[*].manager'), /other/);
  });

  test('A pod gets its priority and account, and can be debugged, resized and drained.', async () => {
    await ok(
      'run worker --image=app:1 --overrides',
      '{"spec":{"priorityClassName":"urgent","containers":[{"name":"worker","image":"app:1","resources":{"requests":{"cpu":"1"}}}]}}',
    );
    const shown = await jsonpath('pod/worker', '.spec.priority} {.spec.preemptionPolicy} {.spec.serviceAccountName');
    assert.equal(shown, '1000 PreemptLowerPriority default');
    const lost = await run('run', 'lost', '--image=app:1', '--overrides', '{"spec":{"priorityClassName":"absent"}}');
    assert.match(lost.stderr, /pods "lost" is forbidden: no PriorityClass with name absent was found/);
    await ok('run plain --image=app:1');
    assert.equal(await jsonpath('pod/plain', '.spec.priority'), '0');
    await ok('debug worker --image=tool:1 --container=tool');
    assert.equal(await jsonpath('pod/worker', '.spec.ephemeralContainers[0].image'), 'tool:1');
    await ok(
      'patch pod worker --subresource=resize -p',
      '{"spec":{"containers":[{"name":"worker","resources":{"requests":{"cpu":"50m"}}}]}}',
    );
    assert.equal(await jsonpath('pod/worker', '.spec.containers[0].resources.requests.cpu'), '50m');
    await ok('create -f', manifest('node', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } }));
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'worker' },
      target: { kind: 'Node', name: 'node-1' },
    };
    await ok('create --raw /api/v1/namespaces/default/pods/worker/binding -f', manifest('binding', binding));
    const drained = await run('drain', 'node-1', '--grace-period=0', '--force', '--timeout=20s');
    assert.equal(drained.code, 0, drained.stderr);
    assert.match((await run('get', 'pod', 'worker')).stderr, /NotFound/);
    assert.equal(await jsonpath('node/node-1', '.spec.unschedulable'), 'true');
  });

  test('A certificate can be approved.', async () => {
    const spec = {
      request: CERTIFICATE_REQUEST,
      signerName: 'example.com/signer',
      usages: ['client auth'],
    };
    const wanted = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'wanted' },
      spec,
    };
    await ok('create -f', manifest('request', wanted));
    assert.match(await ok('certificate approve wanted'), /approved/);
    assert.match(await ok('get csr wanted'), / Approved\n$/);
  });

  test('All created objects can be deleted.', async () => {
    for (const namespace of NAMESPACES) {
      const made = madeIn(namespace);
      // dependents may already be deleted with their owners
      await ok(`delete -n ${namespace} --ignore-not-found --timeout=20s`, ...made);
      const { stderr } = await run('get', '-n', namespace, ...made);
      assert.equal(stderr.match(/\(NotFound\)/g)?.length, made.length, stderr);
    }
  });
});
