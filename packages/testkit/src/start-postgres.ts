import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ensureCluster,
  freePort,
  giveTo,
  openLogFile,
  postgresBinaries,
  postgresUrl,
  projectRoot,
  type RunAs,
  type Running,
  runAsFor,
  signalQuietly,
  startPostgresServer,
} from '@tidegate/local';
import { temporaryDir } from './temporary-dir.ts';
import { until } from './until.ts';

export interface TestPostgres {
  /** stays the same over restarts */
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** as a crash does: no warning, no checkpoint */
  kill(): Promise<void>;
  /** starts it again after kill(), or ends it and starts it again */
  restart(): Promise<void>;
  /** ends it and removes its data */
  stop(): Promise<void>;
}

interface StartPostgresOptions {
  /** whom it runs as; chosen when it is not given */
  readonly runAs?: RunAs;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Safe only because the data is thrown away: a crash of the machine would lose it, a crash of PostgreSQL does not. */
const throwaway = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB' };

/** A real PostgreSQL of the test's own. */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<TestPostgres> {
  const temporary = temporaryDir('pg');
  const dir = join(temporary.path, 'data');
  const logFile = join(temporary.path, 'log');
  const binaries = postgresBinaries();
  const reach = { program: binaries.postgres, readable: [binaries.catalog], passable: [temporary.path, projectRoot] };
  const runAs = options.runAs ?? runAsFor(reach);
  const password = 'test';
  await ensureCluster({ dir, binaries, runAs, password, sync: false });
  const socketDir = join(temporary.path, 'socket');
  mkdirSync(socketDir, { mode: 0o700 });
  giveTo(runAs, socketDir);
  const port = await freePort();
  const server = { dir, binaries, runAs, socketDir, port, extra: { ...throwaway, ...options.settings } };

  const start = (): Running => startPostgresServer(server, openLogFile(logFile));
  let running = start();
  const ready = (): Promise<unknown> =>
    until(`PostgreSQL to be ready; see ${logFile}`, async () => {
      // the processes of one that was killed may hold its memory for a moment, and the next one is refused
      if (await hasEnded(running)) running = start();
      return isReady(dir, running.pid);
    });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await running.known;
    signalQuietly(running.pid, signal);
    await running.ended;
  };
  await ready();
  return {
    url: postgresUrl({ password, socketDir, port }),
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
    async stop() {
      if (!(await hasEnded(running))) await end('SIGQUIT');
      temporary.remove();
    },
  };
}

/** The eighth line of the lock file is the server's own word on its state. */
function isReady(dir: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function hasEnded(running: Running): Promise<boolean> {
  return Promise.race([
    running.ended.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
}
