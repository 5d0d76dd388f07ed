import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kindsOf, readDefinition } from '@tidegate/kinds';
import {
  CertificateTimes,
  Checks,
  createLogger,
  createTracing,
  Faults,
  type Kit,
  LoadMeter,
  LoopWatch,
  MetricRegistry,
  peerCredentials,
  Retries,
  readOptions,
} from '@tidegate/service-kit';
import { freePort, startTidegate, type TestTidegate, temporaryDir, until } from '@tidegate/testkit';
import { options } from '../config.ts';
import { composeGateway, type Gateway } from './gateway.ts';
import type { GatewayConfig } from './given.ts';

interface Running {
  readonly gateway: Gateway;
  ask(method: string, path: string, user: string, body?: object): Promise<number>;
}

const OPEN = '--authorization-mode=AlwaysAllow';
const DEFINITION = {
  metadata: { name: 'things.example.com', generation: 1 },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: {} } } },
    ],
  },
  status: {
    acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    conditions: [
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ],
    storedVersions: ['v1'],
  },
};

describe('Two gateways in one process, over one store', () => {
  const dir = temporaryDir('two-gateways');
  let system: TestTidegate;
  let open: Running;
  let closed: Running;

  before(async () => {
    system = await startTidegate();
    const tokens = join(dir.path, 'tokens.csv');
    writeFileSync(tokens, 'ann-token,ann,1\nadmin-token,admin,2,system:masters\n');
    open = await run(system, [`--token-auth-file=${tokens}`, OPEN]);
    closed = await run(system, [`--token-auth-file=${tokens}`]);
  });

  after(async () => {
    for (const running of [open, closed]) {
      running?.gateway.health.probe.stop();
      await running?.gateway.app.close();
      await running?.gateway.stop();
    }
    await system?.stop();
    dir.remove();
  });

  test('have the same objects.', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    assert.equal(await open.ask('POST', path, 'admin', { metadata: { name: 'shared' } }), 201);
    assert.equal(await closed.ask('GET', `${path}/shared`, 'admin'), 200);
  });

  test('each have rights of their own.', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    assert.equal(await open.ask('GET', path, 'ann'), 200);
    assert.equal(await closed.ask('GET', path, 'ann'), 403);
    assert.equal(await open.ask('GET', path, 'ann'), 200);
  });

  test('each have kinds of their own.', async () => {
    const { registry } = open.gateway;
    const scale = registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
    assert.ok(scale);
    registry.setCustom(kindsOf(readDefinition(DEFINITION), scale));
    const path = '/apis/example.com/v1/namespaces/default/things';
    assert.equal(await open.ask('GET', path, 'admin'), 200);
    assert.equal(await closed.ask('GET', path, 'admin'), 404);
  });

  test('each count their own requests.', async () => {
    const counted = async ({ gateway }: Running) => (await gateway.metrics.exposition(undefined)).text;
    const things = /apiserver_request_total\{[^}]*resource="things"[^}]*\} [1-9]/;
    assert.match(await counted(open), things);
    assert.doesNotMatch(await counted(closed), things);
  });
});

/** A gateway in this process, with the options of the system's own gateway and a few others. */
async function run(system: TestTidegate, more: readonly string[]): Promise<Running> {
  const line = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(system.pid('gateway'))], { encoding: 'utf8' });
  const own = line
    .trim()
    .split(/ (?=--)/)
    .filter((arg) => nameOf(arg) in options);
  const port = await freePort();
  const others = new Set([...more.map(nameOf), 'port', 'grpc-address', 'ops-address']);
  const args = [...own.filter((arg) => !others.has(nameOf(arg))), ...more, `--port=${port}`];
  const config = readOptions(options, args, {}) as GatewayConfig;
  const kit = await kitFor(config);
  const gateway = composeGateway(config, kit);
  gateway.start();
  void gateway.health.probe.run();
  await gateway.app.listen({ host: '127.0.0.1', port } as never);
  const ca = readFileSync(system.caFile);
  const ask = async (method: string, path: string, user: string, body?: object): Promise<number> => {
    const headers = { Authorization: `Bearer ${user}-token`, 'Content-Type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port, path, method, ca, headers, agent: false });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  await until('the gateway to be ready', async () => (await ask('GET', '/readyz', 'admin')) === 200 || undefined);
  return { gateway, ask };
}

/** `port` of `--port=6443` */
function nameOf(argument: string): string {
  return argument.slice(2).split('=', 1)[0] ?? '';
}

async function kitFor(config: GatewayConfig): Promise<Kit> {
  const log = createLogger('gateway', 'test', 'fatal');
  const metrics = new MetricRegistry();
  return {
    part: 'gateway',
    instance: 'test',
    log,
    checks: new Checks(),
    metrics,
    retries: new Retries(log, metrics),
    faults: new Faults(log, metrics),
    load: LoadMeter.ofThisProcess(),
    loop: new LoopWatch(log, metrics),
    tracing: await createTracing({ endpoint: '', sampleRatio: 0, part: 'gateway', instance: 'test' }),
    credentials: peerCredentials(config, log),
    certificates: new CertificateTimes(metrics),
  };
}
