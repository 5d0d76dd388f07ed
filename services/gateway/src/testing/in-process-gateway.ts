import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
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
import { freePort, type TestTidegate, until } from '@tidegate/testkit';
import { composeGateway, type Gateway } from '../compose/gateway.ts';
import type { GatewayConfig } from '../compose/given.ts';
import { options } from '../config.ts';

export interface InProcessGateway {
  readonly gateway: Gateway;
  /** Sends a request with a bearer token, and returns the code of the answer. */
  ask(method: string, path: string, token: string, body?: object): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a gateway in this process, with the options of the system's own gateway and some others. */
export async function inProcessGateway(system: TestTidegate, more: readonly string[] = []): Promise<InProcessGateway> {
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
  const ask = async (method: string, path: string, token: string, body?: object): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port, path, method, ca, headers, agent: false });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  await until('the gateway to be ready', async () => (await ask('GET', '/readyz', system.token)) !== 503 || undefined);
  const stop = async () => {
    gateway.health.probe.stop();
    await gateway.app.close();
    await gateway.stop();
  };
  return { gateway, ask, stop };
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
