import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Cluster, startCluster, until, whyNoNats } from '@tidegate/testkit';
import { Client } from './support/client.ts';

/**
 * The longest time from a loss or a recovery until every gateway reports it: three times two probes of a second each,
 * for slow machines.
 */
const LIMIT_MS = 6000;
const GRACE_MS = 10_000;
const DELAY_MS = 4000;

const STORAGE = ['etcd', 'postgres', 'nats', 'store', 'watch'];
const hook = (name: string) => `poststarthook/${name}`;
/** kube-apiserver's start-up hooks that exist here, in its order */
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

/** Checks that depend on controllers, which this cluster does not run. */
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
/** Degradations: the availability of aggregated servers. */
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
    await until('all checks of the gateway to pass', async () => (await failing('/readyz?verbose')).length === 0);
    // a service is ready before it has connected to NATS
    for (const part of ['store-1', 'watch-1']) {
      await until(`all checks of ${part} to pass`, async () => {
        const probed = await cluster.probe(part, '/readyz?verbose');
        return probed !== undefined && !probed.text.includes('[-]');
      });
    }
  });
  after(async () => {
    for (const client of clients ?? []) client.close();
    await cluster?.stop();
  });

  const get = async (path: string, gateway = 0) => (clients[gateway] as Client).get(path);
  /** the failing checks of a gateway, except those that always fail in this test */
  const failing = async (path: string, gateway = 0) =>
    [...(await get(path, gateway)).text.matchAll(/^\[-\](\S+) failed: reason withheld$/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !CONTROLLED.includes(name));
  /** Waits until every gateway reports the change, and checks the time. */
  const soon = async (what: string, code: number, names: readonly string[]) => {
    const begun = performance.now();
    for (const gateway of clients.keys()) {
      await until(`gateway ${gateway} to report ${what}`, async () => {
        if (JSON.stringify(await failing('/readyz?verbose', gateway)) !== JSON.stringify(names)) return false;
        const codes = await Promise.all(['/readyz', '/healthz'].map((path) => get(path, gateway)));
        return codes.every((reply) => reply.code === code);
      });
    }
    const ms = performance.now() - begun;
    assert.ok(ms < LIMIT_MS, `${what} was reported after ${ms} ms`);
    for (const gateway of clients.keys()) assert.equal((await get('/livez', gateway)).code, 200, 'livez');
  };
  const replicas = (part: string) => [1, 2].map((i) => `${part}-${i}`);
  const allReady = (part: string) =>
    Promise.all(replicas(part).map((name) => until(`${name} to be ready`, () => cluster.ready(name))));
  const stopAll = (part: string) => Promise.all(replicas(part).map((name) => cluster.parts.get(name)?.stop()));
  const startAll = async (part: string) => {
    for (const name of replicas(part)) cluster.parts.get(name)?.startAgain();
    await until(`a ${part} to be ready`, async () =>
      (await Promise.all(replicas(part).map(cluster.ready))).some(Boolean),
    );
  };

  test('Readiness lists every check, and liveness only those of the process itself.', async () => {
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

  test('Probes have the same answers as in kube-apiserver, for every method, also for anonymous requests.', async () => {
    const file = new URL('../packages/service-kit/recorded/probes.json', import.meta.url);
    const { answers } = JSON.parse(readFileSync(file, 'utf8')) as { answers: Recorded[] };
    const short = answers.filter(({ state, text }) => state === 'well' && text.length < 400);
    assert.ok(short.length > 20);
    for (const { method, path, anonymous, ...expected } of short) {
      // an encoded slash is not a path separator
      if (path.includes('%2F')) continue;
      const reply = await (clients[0] as Client).request(method, path, { token: anonymous ? '' : undefined });
      assert.equal(reply.code, expected.code, `${method} ${path}`);
      assert.equal(reply.headers['content-type'], expected.type, `${method} ${path}`);
      if (expected.sniff !== undefined) assert.equal(reply.headers['x-content-type-options'], expected.sniff);
      assert.equal(reply.code === 403 && method !== 'HEAD' ? reply.json.message : reply.text, expected.text);
    }
  });

  test('Probes report the loss and the recovery of PostgreSQL within seconds.', async () => {
    await cluster.postgres.kill();
    await soon('the loss of PostgreSQL', 500, ['etcd', 'etcd-readiness', 'postgres']);
    assert.match((await get('/readyz/postgres')).text, /^internal server error: .+\n$/);
    assert.equal((await get('/readyz/store')).code, 200);
    assert.equal((await get('/readyz?exclude=etcd')).code, 200);
    assert.match((await get('/readyz?exclude=etcd&verbose')).text, /^\[\+\]postgres excluded with etcd: ok$/m);
    assert.equal((await get('/livez/etcd')).code, 200);
    // the gateways may have asked the other store
    await until('the store to report it', async () => (await cluster.probe('store-1', '/readyz'))?.code === 500);
    assert.equal((await cluster.probe('store-1', '/livez'))?.code, 200);
    await cluster.postgres.restart();
    await soon('the return of PostgreSQL', 200, []);
  });

  test('The loss of one of two stores fails no probe.', async () => {
    // a gateway that uses one store does not know whether the other one has found PostgreSQL again
    await allReady('store');
    await cluster.parts.get('store-1')?.stop();
    for (let round = 0; round < 100; round++)
      for (const gateway of clients.keys()) {
        const { code, text } = await get('/readyz?verbose', gateway);
        assert.equal(code, 200, text);
      }
    cluster.parts.get('store-1')?.startAgain();
    await until('the store to be ready again', () => cluster.ready('store-1'));
  });

  test('Probes report the loss and the recovery of all stores within seconds.', async () => {
    await stopAll('store');
    await soon('the loss of all stores', 500, ['etcd', 'etcd-readiness', 'postgres', 'store']);
    assert.equal((await get('/readyz/store')).text, 'internal server error: no store answers\n');
    await startAll('store');
    await soon('the return of the stores', 200, []);
  });

  test('The loss of NATS is reported as a degradation within seconds and fails no probe.', async () => {
    await cluster.nats?.kill();
    await soon('the loss of NATS', 200, ['nats']);
    assert.deepEqual(await get('/readyz/nats').then(({ code, text }) => [code, text]), [
      500,
      'internal server error: not connected\n',
    ]);
    // one watch service may notice the loss after the other one
    const ofWatch = await until('a watch service to report it', async () => {
      const probed = await cluster.probe('watch-1', '/readyz?verbose');
      return /^\[-\]nats failed: reason withheld$/m.test(probed?.text ?? '') ? probed : undefined;
    });
    assert.equal(ofWatch.code, 200);
    await cluster.nats?.restart();
    await soon('the return of NATS', 200, []);
  });

  test('Probes report the loss and the recovery of the watch service within seconds.', async () => {
    await stopAll('watch');
    await soon('the loss of the watch service', 500, ['watch']);
    await startAll('watch');
    await soon('the return of the watch service', 200, []);
  });

  test('Unfinished start-up hooks fail liveness only after its grace period, and readiness at once.', async () => {
    await stopAll('watch');
    const begun = performance.now();
    process.kill(cluster.parts.get('gateway-1')?.pid as number, 'SIGKILL');
    await until('the next gateway to listen', () => get('/livez').catch(() => undefined));
    const pending = ['watch', 'informer-sync', ...BY_WATCH].join();
    await until('the gateway to connect to the stores', async () => (await failing('/readyz')).join() === pending);
    await until('liveness to fail', async () => (await get('/livez')).code === 500);
    assert.ok(performance.now() - begun >= GRACE_MS, 'it passed during the grace period');
    assert.deepEqual(
      await failing('/livez'),
      BY_WATCH.filter((name) => !REMOTE.includes(name)),
    );
    await startAll('watch');
    await soon('the end of the start', 200, []);
  });

  test('Readiness fails at once when a gateway is stopping, and it serves until its delay is over.', async () => {
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
    await until('the gateway to exit', () => part?.pid !== pid);
    assert.ok(performance.now() - begun >= DELAY_MS);
    const isBack = async () => (await get('/readyz', 1).catch(() => undefined))?.code === 200;
    await until('the next one to be ready', isBack, 60_000);
  });

  test('A second stop signal ends the delay of a gateway.', async () => {
    const part = cluster.parts.get('gateway-2');
    const pid = part?.pid as number;
    const begun = performance.now();
    process.kill(pid, 'SIGTERM');
    await until('readiness to fail', async () => (await get('/readyz', 1)).code === 500);
    process.kill(pid, 'SIGTERM');
    await until('the gateway to exit', () => part?.pid !== pid);
    assert.ok(performance.now() - begun < DELAY_MS);
  });
});
