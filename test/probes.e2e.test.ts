import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { until, whyNoNats } from '@tidegate/testkit';
import { type Cluster, startCluster } from './reliability/system/cluster.ts';
import { Client } from './support/client.ts';

/** From a loss, or a return, until every gateway tells it. */
/** One second is between two looks at another part; a slow machine is given three times what two of them take. */
const LIMIT_MS = 6000;
const GRACE_MS = 10_000;
const DELAY_MS = 4000;

const STORAGE = ['etcd', 'postgres', 'nats', 'store', 'watch'];
const hook = (name: string) => `poststarthook/${name}`;
/** kube-apiserver's names, in its order, of those pieces that there are here */
const HOOKS = [
  hook('start-apiserver-admission-initializer'),
  hook('generic-apiserver-start-informers'),
  hook('priority-and-fairness-config-consumer'),
  hook('priority-and-fairness-filter'),
  hook('start-apiextensions-informers'),
  hook('start-apiextensions-controllers'),
  hook('crd-informer-synced'),
  hook('start-system-namespaces-controller'),
  hook('start-cluster-authentication-info-controller'),
  hook('start-service-ip-repair-controllers'),
  hook('rbac/bootstrap-roles'),
  hook('scheduling/bootstrap-system-priority-classes'),
  hook('bootstrap-controller'),
  hook('start-kubernetes-service-cidr-controller'),
  hook('start-kube-aggregator-informers'),
  hook('apiservice-status-local-available-controller'),
  hook('apiservice-status-remote-available-controller'),
  hook('apiservice-registration-controller'),
  hook('apiservice-discovery-controller'),
  hook('kube-apiserver-autoregistration'),
  hook('apiservice-openapi-controller'),
  hook('apiservice-openapiv3-controller'),
];

/** What controllers do, of which this cluster has none: it shows, and fails nothing. */
const CONTROLLED = [
  'autoregister-completion',
  hook('start-system-namespaces-controller'),
  hook('start-cluster-authentication-info-controller'),
  hook('start-service-ip-repair-controllers'),
  hook('scheduling/bootstrap-system-priority-classes'),
  hook('bootstrap-controller'),
  hook('start-kubernetes-service-cidr-controller'),
  hook('apiservice-status-local-available-controller'),
  hook('kube-apiserver-autoregistration'),
];
const BY_WATCH = HOOKS.filter((name) => !CONTROLLED.includes(name));
/** They show, and fail nothing: how servers behind the API are. */
const REMOTE = [
  hook('apiservice-status-remote-available-controller'),
  hook('apiservice-discovery-controller'),
  hook('apiservice-openapi-controller'),
  hook('apiservice-openapiv3-controller'),
];

interface Recorded {
  readonly state: string;
  readonly method: string;
  readonly path: string;
  readonly anonymous?: true;
  readonly code: number;
  readonly text: string;
  readonly type: string;
  readonly sniff?: string;
}

describe('Probes', { skip: (await whyNoNats()) ?? false }, () => {
  let cluster: Cluster;
  let clients: Client[];
  before(async () => {
    const gateway = { 'livez-grace-period': `${GRACE_MS}ms`, 'shutdown-delay-duration': `${DELAY_MS}ms` };
    cluster = await startCluster({ replicas: 2, nats: true, flags: { gateway } });
    clients = cluster.endpoints.map((endpoint) => new Client(endpoint));
    await until('everything to be well', async () => (await failing('/readyz?verbose')).length === 0);
  });
  after(async () => {
    for (const client of clients ?? []) client.close();
    await cluster?.stop();
  });

  const get = async (path: string, gateway = 0) => (clients[gateway] as Client).get(path);
  /** the checks that fail at a gateway, but for those that always do here */
  const failing = async (path: string, gateway = 0) =>
    [...(await get(path, gateway)).text.matchAll(/^\[-\](\S+) failed: reason withheld$/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !CONTROLLED.includes(name));
  /** every gateway answers so, in time */
  const soon = async (what: string, code: number, names: readonly string[]) => {
    const begun = performance.now();
    for (const gateway of clients.keys()) {
      await until(`gateway ${gateway} to tell ${what}`, async () => {
        if (JSON.stringify(await failing('/readyz?verbose', gateway)) !== JSON.stringify(names)) return false;
        const codes = await Promise.all(['/readyz', '/healthz'].map((path) => get(path, gateway)));
        return codes.every((reply) => reply.code === code);
      });
    }
    const ms = performance.now() - begun;
    assert.ok(ms < LIMIT_MS, `${what} was told after ${ms} ms`);
    for (const gateway of clients.keys()) assert.equal((await get('/livez', gateway)).code, 200, 'livez');
  };
  const replicas = (part: string) => [1, 2].map((i) => `${part}-${i}`);
  const stopAll = (part: string) => Promise.all(replicas(part).map((name) => cluster.parts.get(name)?.stop()));
  const startAll = async (part: string) => {
    for (const name of replicas(part)) cluster.parts.get(name)?.startAgain();
    await until(`a ${part} to be ready`, async () =>
      (await Promise.all(replicas(part).map(cluster.ready))).some(Boolean),
    );
  };

  test('name every check, and liveness those of this process alone', async () => {
    const lines = (names: readonly string[], failing: readonly string[] = []) => {
      const line = (name: string) => (failing.includes(name) ? `[-]${name} failed: reason withheld` : `[+]${name} ok`);
      return [...names.map(line), 'healthz check passed', ''].join('\n');
    };
    const ofHealth = ['ping', 'log', ...STORAGE, 'autoregister-completion', ...HOOKS];
    assert.equal((await get('/healthz?verbose')).text, lines(ofHealth, CONTROLLED));
    const ofReadiness = ['ping', 'log', 'etcd', 'etcd-readiness', ...STORAGE.slice(1), 'informer-sync'];
    const ofReady = [...ofReadiness, 'autoregister-completion', ...HOOKS, 'shutdown'];
    assert.equal((await get('/readyz?verbose')).text, lines(ofReady, CONTROLLED));
    const ofLife = ['ping', 'log', 'etcd', 'store', 'autoregister-completion', ...HOOKS];
    assert.equal((await get('/livez?verbose')).text, lines(ofLife));
    const text = (part: string, path: string) => cluster.probe(part, path).then((answer) => answer?.text);
    assert.equal(await text('store-1', '/readyz?verbose'), lines(['ping', 'log', 'postgres', 'nats', 'shutdown']));
    const ofWatch = ['ping', 'log', 'collections', 'feed', 'self-check', 'nats', 'shutdown'];
    assert.equal(await text('watch-1', '/readyz?verbose'), lines(ofWatch));
  });

  test('are answered over HTTP as by kube-apiserver, by whatever method and to whomever', async () => {
    const file = new URL('../packages/service-kit/recorded/probes.json', import.meta.url);
    const { answers } = JSON.parse(readFileSync(file, 'utf8')) as { answers: Recorded[] };
    const short = answers.filter(({ state, text }) => state === 'well' && text.length < 400);
    assert.ok(short.length > 20);
    for (const { method, path, anonymous, ...said } of short) {
      // a slash that is encoded leads nowhere here
      if (path.includes('%2F')) continue;
      const reply = await (clients[0] as Client).ask(method, path, { token: anonymous ? '' : undefined });
      assert.equal(reply.code, said.code, `${method} ${path}`);
      assert.equal(reply.headers['content-type'], said.type, `${method} ${path}`);
      if (said.sniff !== undefined) assert.equal(reply.headers['x-content-type-options'], said.sniff);
      assert.equal(reply.code === 403 && method !== 'HEAD' ? reply.json.message : reply.text, said.text);
    }
  });

  test('tell within seconds that PostgreSQL is gone, and that it is back', async () => {
    await cluster.postgres.kill();
    await soon('the loss of PostgreSQL', 500, ['etcd', 'etcd-readiness', 'postgres']);
    assert.match((await get('/readyz/postgres')).text, /^internal server error: .+\n$/);
    assert.equal((await get('/readyz/store')).code, 200);
    assert.equal((await get('/readyz?exclude=etcd')).code, 200);
    assert.match((await get('/readyz?exclude=etcd&verbose')).text, /^\[\+\]postgres excluded with etcd: ok$/m);
    assert.equal((await get('/livez/etcd')).code, 200);
    assert.equal((await cluster.probe('store-1', '/readyz'))?.code, 500);
    assert.equal((await cluster.probe('store-1', '/livez'))?.code, 200);
    await cluster.postgres.restart();
    await soon('the return of PostgreSQL', 200, []);
  });

  test('do not show that one store of two is gone', async () => {
    await cluster.parts.get('store-1')?.stop();
    for (let round = 0; round < 100; round++)
      for (const gateway of clients.keys()) assert.equal((await get('/readyz', gateway)).code, 200);
    cluster.parts.get('store-1')?.startAgain();
    await until('it to be ready again', () => cluster.ready('store-1'));
  });

  test('tell within seconds that all stores are gone, and that they are back', async () => {
    await stopAll('store');
    await soon('the loss of all stores', 500, ['etcd', 'etcd-readiness', 'postgres', 'store']);
    assert.equal((await get('/readyz/store')).text, 'internal server error: no store answers\n');
    await startAll('store');
    await soon('the return of the stores', 200, []);
  });

  test('show the loss of NATS within seconds, as a degradation that fails nothing', async () => {
    await cluster.nats?.kill();
    await soon('the loss of NATS', 200, ['nats']);
    assert.deepEqual(await get('/readyz/nats').then(({ code, text }) => [code, text]), [
      500,
      'internal server error: not connected\n',
    ]);
    // it may hear of the loss after the other watch service, of which the gateways know
    const ofWatch = await until('a watch service to tell it', async () => {
      const probed = await cluster.probe('watch-1', '/readyz?verbose');
      return /^\[-\]nats failed: reason withheld$/m.test(probed?.text ?? '') ? probed : undefined;
    });
    assert.equal(ofWatch.code, 200);
    await cluster.nats?.restart();
    await soon('the return of NATS', 200, []);
  });

  test('tell within seconds that the watch service is gone, and that it is back', async () => {
    await stopAll('watch');
    await soon('the loss of the watch service', 500, ['watch']);
    await startAll('watch');
    await soon('the return of the watch service', 200, []);
  });

  test('take start-up hooks for done in liveness until its grace period is over, and in readiness never', async () => {
    await stopAll('watch');
    const begun = performance.now();
    process.kill(cluster.parts.get('gateway-1')?.pid as number, 'SIGKILL');
    await until('the next gateway to listen', () => get('/livez').catch(() => undefined));
    const pending = ['watch', 'informer-sync', ...BY_WATCH].join();
    await until('it to have found the stores', async () => (await failing('/readyz')).join() === pending);
    assert.equal((await get('/livez')).code, 200);
    assert.ok(performance.now() - begun < GRACE_MS, 'the machine is too slow for this test');
    await until('liveness to fail', async () => (await get('/livez')).code === 500);
    assert.deepEqual(
      await failing('/livez'),
      BY_WATCH.filter((name) => !REMOTE.includes(name)),
    );
    await startAll('watch');
    await soon('the end of the start', 200, []);
  });

  test('fail at once when a gateway is to stop, which serves until its delay is over', async () => {
    const part = cluster.parts.get('gateway-2');
    const pid = part?.pid as number;
    process.kill(pid, 'SIGTERM');
    const begun = performance.now();
    await until('readiness to fail', async () => (await get('/readyz', 1)).code === 500);
    assert.deepEqual(await failing('/readyz', 1), ['shutdown']);
    assert.equal((await get('/readyz/shutdown', 1)).text, 'internal server error: process is shutting down\n');
    assert.equal((await get('/livez', 1)).code, 200);
    assert.equal((await get('/healthz', 1)).code, 200);
    assert.equal((await get('/api/v1/namespaces', 1)).code, 200);
    assert.ok(performance.now() - begun < DELAY_MS, 'the machine is too slow for this test');
    await until('it to end', () => part?.pid !== pid);
    assert.ok(performance.now() - begun >= DELAY_MS);
    const isBack = async () => (await get('/readyz', 1).catch(() => undefined))?.code === 200;
    await until('the next one to be ready', isBack, 60_000);
  });

  test('wait for nothing when a gateway is told to stop a second time', async () => {
    const part = cluster.parts.get('gateway-2');
    const pid = part?.pid as number;
    const begun = performance.now();
    process.kill(pid, 'SIGTERM');
    await until('readiness to fail', async () => (await get('/readyz', 1)).code === 500);
    process.kill(pid, 'SIGTERM');
    await until('it to end', () => part?.pid !== pid);
    assert.ok(performance.now() - begun < DELAY_MS);
  });
});
