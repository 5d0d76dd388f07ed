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

/** What the process provides to its part. */
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

/** The lifecycle of a part: start, then drain (finish active work, accept no new work), then stop. */
export interface Service {
  /** the contracts of this part, besides the health contract that every part serves */
  readonly rpc?: ReadonlyArray<readonly [ServiceDefinition, UntypedServiceImplementation]>;
  /** how long the part continues to serve after readiness has begun to fail */
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

/** Reads the options, runs the part until a signal arrives or its parent process ends, and exits. */
export async function runMain<T extends OptionTable>(main: Main<T>): Promise<void> {
  // Each socket read accounts for 64 KiB of external memory. With its own limit, external memory triggers a full
  // garbage collection every 50 ms under load. With the heap's limit, the process needs a third less CPU time.
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  const config = optionsOrExit(main);
  const instance = config.instance === '' ? `${main.part}-${process.pid}` : config.instance;
  const { log, trouble } = openLog({ part: main.part, instance, level: config.logLevel });
  process.on('unhandledRejection', (error) => fail(log, error));
  process.on('uncaughtException', (error) => fail(log, error));
  const stopRequested = stopSignal(config.lifeline);
  try {
    const checks = new Checks();
    // requests are not affected, and a restart would not free space on a disk
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
    // earlier long turns load and compile code, and delay no request
    kit.loop.start();
    log.info({ grpcPort: grpc.port }, 'The part has started.');

    const why = await stopRequested;
    log.info({ why }, 'The part is stopping.');
    checks.beginStop();
    // the delay is for load balancers; without a parent process it is skipped
    if (why !== PARENT_GONE) await delayMs(service.shutdownDelayMs ?? 0);
    await service.drain();
    await grpc.close(2000);
    await service.stop();
    await probes.close();
    kit.load.stop();
    kit.loop.stop();
    // The exporter retries for a long time if the receiver is unreachable. Losing the last traces must not fail the
    // exit.
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

/** Opens the listeners for probes. */
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

/** how long the process waits at its end for the last traces to be sent */
const LAST_TRACES_MS = 1000;

const PARENT_GONE = 'the parent is gone';

function stopSignal(lifeline: boolean): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('SIGTERM'));
    process.once('SIGINT', () => resolve('SIGINT'));
    if (lifeline) process.stdin.on('end', () => resolve(PARENT_GONE)).resume();
  });
}

/** Logs a fatal error, prints it in one line for the supervisor, and exits. */
function fail(log: Logger, error: unknown): never {
  log.fatal({ err: error }, 'A fatal error occurred.');
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
