import { setFlagsFromString } from 'node:v8';
import { ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { helpText, OptionError, type Options, type OptionTable, readOptions } from '@tidegate/options';
import { grpcHealth, health } from '@tidegate/wire';
import { CertificateTimes } from './certificate-times.ts';
import { declareCheckMetrics } from './check-metrics.ts';
import { Checks } from './checks.ts';
import { delayMs } from './delay.ts';
import { Faults } from './faults.ts';
import { openGrpcServer } from './grpc.ts';
import { healthImplementation } from './health-rpc.ts';
import type { KitConfig } from './kit-options.ts';
import { LoadMeter } from './load-meter.ts';
import { type Logger, openLog } from './logger.ts';
import { LoopWatch } from './loop-watch.ts';
import { MetricRegistry } from './metric-registry.ts';
import { openOpsServer } from './ops-server.ts';
import { type PeerCredentials, peerCredentials } from './peer-credentials.ts';
import { Retries } from './retries.ts';
import { servingStatusImplementation } from './serving-status.ts';
import { createTracing, type Tracing } from './tracing.ts';

/** What every part gets from its process: it owns none of it. */
export interface Kit {
  readonly part: string;
  readonly instance: string;
  readonly log: Logger;
  readonly checks: Checks;
  readonly metrics: MetricRegistry;
  readonly retries: Retries;
  readonly faults: Faults;
  readonly load: LoadMeter;
  readonly loop: LoopWatch;
  readonly tracing: Tracing;
  readonly credentials: PeerCredentials;
  readonly certificates: CertificateTimes;
}

/** The life of a part: start, then drain (finish what is under way, take nothing new), then stop. */
export interface Service {
  /** what the other parts may call, next to the health contract that every part serves */
  readonly rpc?: ReadonlyArray<readonly [ServiceDefinition, UntypedServiceImplementation]>;
  /** how long it goes on serving after readiness has begun to fail */
  readonly shutdownDelayMs?: number;
  /** the newest revision that this part has seen */
  revision(): number;
  start(): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

interface Main<T extends OptionTable> {
  part: string;
  options: T;
  create: (config: Options<T> & KitConfig, kit: Kit) => Service;
}

/** Reads the options, runs the part until a signal comes or its parent is gone, and ends the process. */
export async function runMain<T extends OptionTable>(main: Main<T>): Promise<void> {
  // Each read of a socket accounts 64 KiB of memory outside the heap. Counted by itself that starts a collection of the
  // whole heap every 50 ms under load; counted with the heap's own limit it costs a third less of all CPU time.
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  const config = optionsOrExit(main);
  const instance = config.instance === '' ? `${main.part}-${process.pid}` : config.instance;
  const { log, trouble } = openLog({ part: main.part, instance, level: config.logLevel });
  process.on('unhandledRejection', (error) => fail(log, error));
  process.on('uncaughtException', (error) => fail(log, error));
  const stopRequested = stopSignal(config.lifeline);
  try {
    const checks = new Checks();
    // nobody is served worse for it, and a restart gives no room on a disk
    checks.add('log', trouble, { required: false, wedged: () => undefined });
    const metrics = new MetricRegistry();
    const kit: Kit = {
      part: main.part,
      instance,
      log,
      checks,
      metrics,
      retries: new Retries(log, metrics),
      faults: new Faults(log, metrics),
      load: LoadMeter.ofThisProcess(),
      loop: new LoopWatch(log, metrics),
      tracing: await createTracing({
        endpoint: config.otlpEndpoint,
        sampleRatio: config.traceSampleRatio,
        part: main.part,
        instance,
      }),
      credentials: peerCredentials(config, log),
      certificates: new CertificateTimes(metrics),
    };
    kit.certificates.add(() => kit.credentials.inUse());
    const service = main.create(config, kit);
    const grpc = await openGrpcServer({
      address: config.grpcAddress,
      credentials: kit.credentials.server,
      services: [
        [health, healthImplementation({ ...kit, revision: () => service.revision() })],
        [grpcHealth, servingStatusImplementation(checks)],
        ...(service.rpc ?? []),
      ],
    });
    declareCheckMetrics(kit.metrics, main.part, checks);
    const probes = await openProbes(config, checks, kit.metrics);
    await service.start();
    // what is loaded and compiled before keeps nobody waiting
    kit.loop.start();
    log.info({ grpcPort: grpc.port }, 'The part is started.');

    const why = await stopRequested;
    log.info({ why }, 'The part is stopping.');
    checks.beginStop();
    // who asked for it waits; without a parent nobody does
    if (why !== PARENT_GONE) await delayMs(service.shutdownDelayMs ?? 0);
    await service.drain();
    await grpc.close(2000);
    await service.stop();
    await probes.close();
    kit.load.stop();
    kit.loop.stop();
    // Where nobody takes the last traces they would be offered again and again. That they are lost is no reason for this
    // process to end badly.
    await Promise.race([kit.tracing.shutdown().catch(() => {}), delayMs(LAST_TRACES_MS)]);
    log.info('The part has stopped.');
    process.exit(0);
  } catch (error) {
    fail(log, error);
  }
}

function optionsOrExit<T extends OptionTable>(main: Main<T>): Options<T> & KitConfig {
  const argv = process.argv.slice(2);
  if (argv.includes('--help')) {
    process.stdout.write(`tidegate ${main.part}\n\n${helpText(main.options)}\n`);
    process.exit(0);
  }
  try {
    return readOptions(main.options, argv, process.env) as Options<T> & KitConfig;
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`tidegate ${main.part}: ${error.message}\n`);
    process.exit(2);
  }
}

/** Where the machinery around a part asks how it is, for as long as it lives. */
async function openProbes(config: KitConfig, checks: Checks, metrics: MetricRegistry) {
  const { opsAddress, grpcHealthAddress } = config;
  const ops = opsAddress === '' ? undefined : await openOpsServer({ address: opsAddress, checks, metrics });
  const grpc =
    grpcHealthAddress === ''
      ? undefined
      : await openGrpcServer({
          address: grpcHealthAddress,
          credentials: ServerCredentials.createInsecure(),
          services: [[grpcHealth, servingStatusImplementation(checks)]],
          isOpen: true,
        });
  return {
    async close(): Promise<void> {
      ops?.closeAllConnections();
      ops?.close();
      await grpc?.close(0);
    },
  };
}

/** how long the end of a process waits for its last traces to be taken */
const LAST_TRACES_MS = 1000;

const PARENT_GONE = 'the parent is gone';

function stopSignal(lifeline: boolean): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('SIGTERM'));
    process.once('SIGINT', () => resolve('SIGINT'));
    if (lifeline) process.stdin.on('end', () => resolve(PARENT_GONE)).resume();
  });
}

/** A part that cannot go on says why in one line, for its supervisor to show, and ends. */
function fail(log: Logger, error: unknown): never {
  log.fatal({ err: error }, 'The part cannot go on.');
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
