import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ensureCluster,
  freePort,
  giveTo,
  openLogFile,
  type PostgresBinaries,
  postgresBinaries,
  postgresUrl,
  projectRoot,
  type RunAs,
  type Running,
  runAsFor,
  signalQuietly,
  startPostgresServer,
} from '@tidegate/local';
import { copyPrepared } from './prepared.ts';
import { openSmallDisk, type SmallDiskOptions } from './small-disk.ts';
import { temporaryDir } from './temporary-dir.ts';
import { timed } from './time-spent.ts';
import { until } from './until.ts';

export interface TestPostgres {
  /** stays the same after restarts */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** its data directory; with a small disk the path inside the namespace */
  readonly dir: string;
  /** kills it without a checkpoint, as in a crash */
  kill(): Promise<void>;
  /** restarts it, also after kill() */
  restart(): Promise<void>;
  /** adds settings for the next start */
  configure(settings: Readonly<Record<string, string>>): void;
  /** stops it and removes its data */
  stop(): Promise<void>;
}

interface StartPostgresOptions {
  /** the user that it runs as; chosen automatically by default */
  readonly runAs?: RunAs;
  readonly settings?: Readonly<Record<string, string>>;
  /** the programs of another version */
  readonly binaries?: PostgresBinaries;
  /** creates the data directory before the first start, instead of an empty database */
  readonly data?: (dir: string) => Promise<void>;
  /** the part of the data on a disk of limited size */
  readonly smallDisk?: SmallDiskOptions;
}

/** Settings for data that is discarded: a crash of the machine would lose it, but a crash of PostgreSQL does not. */
const throwaway = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB' };

/** Starts a real PostgreSQL server. */
export function startPostgres(options: StartPostgresOptions = {}): Promise<TestPostgres> {
  return timed('PostgreSQL starts', () => started(options));
}

async function started(options: StartPostgresOptions): Promise<TestPostgres> {
  const temporary = temporaryDir('pg');
  const dir = join(temporary.path, 'data');
  const logFile = join(temporary.path, 'log');
  const { binaries = postgresBinaries() } = options;
  const reach = { program: binaries.postgres, readable: [binaries.catalog], passable: [temporary.path, projectRoot] };
  const runAs = options.runAs ?? runAsFor(reach);
  const password = 'test';
  if (options.data === undefined) await copyPrepared(preparedCluster({ binaries, runAs, password }), dir);
  else await options.data(dir);
  giveTo(runAs, dir);
  const socketDir = join(temporary.path, 'socket');
  mkdirSync(socketDir, { mode: 0o700 });
  giveTo(runAs, socketDir);
  const port = await freePort();
  let extra: Readonly<Record<string, string>> = { ...throwaway, ...options.settings };
  const disk =
    options.smallDisk && (await openSmallDisk({ ...options.smallDisk, dir, work: temporary.path, runAs, binaries }));
  const placed = { dir, binaries: disk?.binaries ?? binaries, runAs: disk?.runAs ?? runAs, socketDir, port };
  const start = (): Running => startPostgresServer({ ...placed, extra }, openLogFile(logFile));
  const seenDir = disk?.seen(dir) ?? dir;
  let running = start();
  const ready = (): Promise<unknown> =>
    until(`PostgreSQL to be ready; see ${logFile}`, async () => {
      // processes of a killed server may hold its shared memory for a moment, so the next start can fail
      if (await hasEnded(running)) running = start();
      return isReady(seenDir, running.pid);
    });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await running.known;
    signalQuietly(running.pid, signal);
    await running.ended;
  };
  await ready();
  return {
    url: postgresUrl({ password, socketDir, port }),
    port,
    dir: seenDir,
    get pid() {
      return running.pid as number;
    },
    logFile,
    kill: () => end('SIGKILL'),
    async restart() {
      if (!(await hasEnded(running))) await end('SIGINT');
      running = start();
      await ready();
    },
    configure(settings) {
      extra = { ...extra, ...settings };
    },
    async stop() {
      if (!(await hasEnded(running))) await end('SIGQUIT');
      await disk?.close();
      temporary.remove();
    },
  };
}

/** An empty data directory, prepared because creating it takes a second. */
function preparedCluster({
  binaries,
  runAs,
  password,
}: {
  binaries: PostgresBinaries;
  runAs: RunAs;
  password: string;
}) {
  return {
    name: `postgres-${binaries.version}-${runAs.kind}`,
    key: '1',
    make: (dir: string) => ensureCluster({ dir, binaries, runAs, password, sync: false }),
  };
}

/** The eighth line of the lock file is the server's state. */
function isReady(dir: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    // an error of the file system: the server has not written it yet
    return false;
  }
}

function hasEnded(running: Running): Promise<boolean> {
  return Promise.race([
    running.ended.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
}
