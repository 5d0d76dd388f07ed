import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  beginningOf,
  type Certificates,
  ensureAdminToken,
  ensureCertificates,
  freePort,
  freePorts,
  isPortFree,
  makeSocketDir,
  ownIdentity,
  PARTS,
  projectVersion,
  type RunningPart,
  type RunState,
  refuseForeignKubeconfig,
  removeSocketDir,
  requireFreePort,
  UserError,
  writeKubeconfig,
  writeRunState,
} from '@tidegate/local';
import { type Death, type ProcessSpec, Supervised } from '../processes/supervised.ts';
import { readyScreen } from '../screen/ready-screen.ts';
import type { Screen } from '../screen/screen.ts';
import { type Engine, prepareNats, preparePostgres } from './engines.ts';
import { type PartSpec, planParts, portsNeeded } from './parts.ts';
import { untilReady } from './readiness.ts';
import type { StartOptions } from './start-options.ts';
import type { StopSignals } from './stop-signals.ts';

/** a part that dies this often before it was ready once cannot start */
const DEATHS_BEFORE_GIVING_UP = 5;
const BOARD_PORT = 6480;

interface Prepared {
  readonly server: string;
  readonly token: string;
  readonly certificates: Certificates;
  readonly engines: { postgres: Engine; nats: Engine };
  readonly parts: readonly PartSpec[];
  readonly boardAddress: string;
}

/**
 * Starts all processes, keeps them running, and stops them in the order of their dependencies.
 *
 * Invariant: every started process is in #processes, and stop() ends all of them, also after an incomplete start.
 */
export class Launcher {
  readonly #options: StartOptions;
  readonly #screen: Screen;
  readonly #signals: StopSignals;
  readonly #processes: Supervised[] = [];
  readonly #parts = new Map<string, PartSpec>();
  /** aborted with a UserError as its reason when the parts cannot start */
  readonly #failed = new AbortController();
  /** aborted by the user or after a failure: no process is started from then on */
  readonly #over: AbortSignal;
  readonly #startedAt = Date.now();
  #socketDir: string | undefined;
  readonly #partsDir = makeSocketDir('tidegate-parts-', existsSync);
  #facts: Pick<RunState, 'server' | 'nats' | 'board'> | undefined;
  #ready = false;
  #saving: NodeJS.Timeout | undefined;

  constructor(options: StartOptions, screen: Screen, signals: StopSignals) {
    this.#options = options;
    this.#screen = screen;
    this.#signals = signals;
    this.#over = AbortSignal.any([signals.closing, this.#failed.signal]);
  }

  /** Resolves when the user requests a stop; rejects after a failure. The caller then calls stop(). */
  async run(): Promise<void> {
    try {
      await this.#startAll();
      if (!this.#over.aborted) await once(this.#over, 'abort');
    } catch (error) {
      if (!this.#over.aborted) throw error;
    }
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason;
  }

  async #startAll(): Promise<void> {
    const prepared = await this.#prepare();
    this.#over.throwIfAborted();
    for (const spec of prepared.parts) {
      this.#parts.set(spec.name, spec);
      this.#start(spec);
    }
    this.#facts = {
      server: prepared.server,
      nats: prepared.engines.nats.description,
      board: `http://${prepared.boardAddress}`,
    };
    await this.#screen.during('starting the parts', untilReady(this.#starting(prepared), this.#over));
    this.#over.throwIfAborted();
    this.#ready = true;
    this.#save();
    this.#screen.line(this.#readyText(prepared));
  }

  /** Prepares everything that the parts need; PostgreSQL and NATS are started as early as possible. */
  async #prepare(): Promise<Prepared> {
    const options = this.#options;
    const { dataDir } = options;
    refuseForeignKubeconfig(options.kubeconfig);
    if (options.port !== 0) await requireFreePort(options.port, options.bindAddress);
    const context = { options, screen: this.#screen, closing: this.#over };
    const [postgres, nats, certificates, port, boardAddress, ports] = await Promise.all([
      preparePostgres(context).then((engine) => this.#startEngine(engine)),
      prepareNats(context).then((engine) => this.#startEngine(engine)),
      ensureCertificates({
        dir: dataDir.certs,
        parts: PARTS,
        bindAddress: options.bindAddress,
        moreClientAuthorities: options.clientCaFile,
      }),
      options.port === 0 ? freePort(options.bindAddress) : options.port,
      chooseBoardAddress(options),
      freePorts(portsNeeded(options.workers)),
    ]);
    const token = ensureAdminToken(dataDir.tokens);
    const server = `https://${reachableHost(options.bindAddress)}:${port}`;
    writeKubeconfig(options.kubeconfig, { server, caPem: certificates.caPem, token });
    const parts = planParts({
      options,
      certificates,
      port,
      server,
      postgresUrl: postgres.url,
      natsUrl: nats.url,
      tokenFiles: [dataDir.tokens, ...(options.tokenAuthFile === '' ? [] : [options.tokenAuthFile])],
      boardAddress,
      partsDir: this.#partsDir,
      ports,
    });
    return { server, token, certificates, engines: { postgres, nats }, parts, boardAddress };
  }

  #startEngine(engine: Engine): Engine {
    this.#socketDir ??= engine.socketDir;
    if (engine.spec !== undefined && !this.#over.aborted) this.#start(engine.spec);
    return engine;
  }

  #start(spec: ProcessSpec): void {
    const supervised = new Supervised(spec, {
      onStart: () => this.#saveSoon(),
      onDeath: (death) => this.#reportDeath(death),
    });
    this.#processes.push(supervised);
    supervised.start();
  }

  #reportDeath(death: Death): void {
    if (!this.#ready && death.inARow >= DEATHS_BEFORE_GIVING_UP) {
      this.#failed.abort(new UserError(`${death.name} does not start: ${death.reason} (its log: ${death.logFile})`));
      return;
    }
    const when = death.delayMs === 0 ? 'now' : `in ${death.delayMs / 1000} s`;
    this.#screen.line(`${death.name} ${death.reason}; starting it again ${when}`);
  }

  #starting({ server, token, certificates: { caPem }, parts }: Prepared): Parameters<typeof untilReady>[0] {
    const { logs } = this.#options.dataDir;
    return { server, token, caPem, parts, logs, report: (text) => this.#screen.line(text) };
  }

  /** Saves after a moment, because several processes start at the same time. */
  #saveSoon(): void {
    this.#saving ??= setTimeout(() => this.#save(), 50);
  }

  #save(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    if (this.#over.aborted) return;
    writeRunState(this.#options.dataDir.runFile, {
      launcher: ownIdentity(),
      version: projectVersion(),
      startedAt: new Date(this.#startedAt).toISOString(),
      server: this.#facts?.server ?? '',
      nats: this.#facts?.nats ?? '',
      ...(this.#facts?.board === undefined ? {} : { board: this.#facts.board }),
      kubeconfig: this.#options.kubeconfig,
      ready: this.#ready,
      ...(this.#socketDir === undefined ? {} : { socketDir: this.#socketDir }),
      partsDir: this.#partsDir,
      parts: this.#processes.flatMap((supervised) => this.#describe(supervised)),
    });
  }

  #describe(supervised: Supervised): RunningPart[] {
    const { name, pid, startedAt, restarts } = supervised.state();
    if (pid === undefined) return [];
    const began = beginningOf(pid) ?? '';
    const spec = this.#parts.get(name);
    const addresses = spec === undefined ? {} : { grpcAddress: spec.grpcAddress, opsAddress: spec.opsAddress };
    return [{ name, pid, began, startedAt: new Date(startedAt).toISOString(), restarts, ...addresses }];
  }

  #readyText({ server, engines, boardAddress }: Prepared): string {
    const { dataDir, ephemeral, kubeconfig } = this.#options;
    return readyScreen({
      version: projectVersion(),
      server,
      kubeconfig,
      dataDir: dataDir.path,
      ephemeral,
      logs: dataDir.logs,
      postgres: engines.postgres.description,
      nats: engines.nats.description,
      board: `http://${boardAddress}`,
      seconds: ((Date.now() - this.#startedAt) / 1000).toFixed(1),
    });
  }

  /** Stops clients before their servers, so that each can finish its requests. */
  async stop(): Promise<void> {
    const order = ['gateway', 'health', 'watch', 'store', 'nats', 'postgres'];
    clearTimeout(this.#saving);
    for (const role of order) {
      const processes = this.#processes.filter(({ spec }) => (this.#parts.get(spec.name)?.part ?? spec.name) === role);
      if (processes.length === 0) continue;
      const stopping = Promise.all(processes.map((supervised) => this.#stopOne(supervised)));
      await this.#screen.during(`stopping ${role}`, stopping);
    }
    if (this.#socketDir !== undefined) removeSocketDir(this.#socketDir);
    removeSocketDir(this.#partsDir);
  }

  async #stopOne(supervised: Supervised): Promise<void> {
    const outcome = await supervised.stop(this.#signals.hurry);
    const { name } = supervised.spec;
    this.#screen.line(outcome === 'stopped' ? `${name} stopped` : `${name} did not stop in time and was ended`);
  }
}

/** The usual port where it is free, so that the board can be bookmarked; but not where the API has an unusual port. */
async function chooseBoardAddress({ ephemeral, port }: StartOptions): Promise<string> {
  const usual = !ephemeral && port !== 0 && (await isPortFree(BOARD_PORT, '127.0.0.1'));
  return `127.0.0.1:${usual ? BOARD_PORT : await freePort()}`;
}

/** The host by which clients on this machine reach a server on the address. */
function reachableHost(bindAddress: string): string {
  if (bindAddress === '0.0.0.0' || bindAddress === '::') return '127.0.0.1';
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
}
