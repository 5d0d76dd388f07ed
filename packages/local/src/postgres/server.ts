import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeSocketDir } from '../data/socket-dir.ts';
import { startUnderLifeline } from '../supervise/lifeline.ts';
import type { LogFile } from '../supervise/log-file.ts';
import type { Running } from '../supervise/running.ts';
import type { PostgresBinaries } from './binaries.ts';
import { POSTGRES_USER, serverEnvironment } from './cluster.ts';
import { commandAs, giveTo, type RunAs } from './run-as.ts';

/** part of the socket's name; no port is opened. It is fixed so that a client's PGPORT does not change the name */
const SOCKET_PORT = 5432;

/** settings for a small local server: little idle memory, few processes, rare checkpoints */
const settings: Readonly<Record<string, string>> = {
  shared_buffers: '256MB',
  max_connections: '60',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  timezone: 'UTC',
  log_timezone: 'UTC',
  cluster_name: 'tidegate',
};

interface ServerOptions {
  readonly dir: string;
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  readonly socketDir: string;
  /** also listens on this port of the loopback address */
  readonly port?: number | undefined;
  readonly extra?: Readonly<Record<string, string>>;
}

/** Runs the server in the foreground, under a lifeline. SIGINT stops it fast, SIGQUIT without a checkpoint. */
export function startPostgresServer(options: ServerOptions, log: LogFile): Running {
  const all = {
    ...settings,
    unix_socket_directories: options.socketDir,
    listen_addresses: options.port === undefined ? '' : '127.0.0.1',
    port: String(options.port ?? SOCKET_PORT),
    ...(Number.parseInt(options.binaries.version, 10) >= 18 ? { io_method: 'sync' } : {}),
    ...options.extra,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { binaries, runAs, dir } = options;
  const { command, args, uid, gid } = commandAs(runAs, binaries.postgres, ['-D', dir, ...flags]);
  const env = serverEnvironment();
  return startUnderLifeline({ command, args, uid, gid, env, log, stopSignal: 'SIGINT', killSignal: 'SIGQUIT' });
}

/** Creates the directory of the socket, which only the server's user and root can access. */
export function makePostgresSocketDir(runAs: RunAs): string {
  const dir = makeSocketDir('tidegate-pg-', (base) => isOpenTo(runAs, base));
  giveTo(runAs, dir);
  return dir;
}

function isOpenTo(runAs: RunAs, dir: string): boolean {
  if (runAs.kind !== 'user') return statSync(dir, { throwIfNoEntry: false }) !== undefined;
  const mode = statSync(dir, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o001) !== 0 && (dir === dirname(dir) || isOpenTo(runAs, dirname(dir)));
}

interface UrlFacts {
  readonly password: string;
  readonly socketDir: string;
  readonly port?: number | undefined;
}

/** A URL in libpq's forms: with host and port, or with the socket's directory as the parameter `host`. */
export function postgresUrl(facts: UrlFacts): string {
  const login = `${POSTGRES_USER}:${encodeURIComponent(facts.password)}`;
  return facts.port === undefined
    ? `postgres://${login}@localhost:${SOCKET_PORT}/postgres?host=${encodeURIComponent(facts.socketDir)}`
    : `postgres://${login}@127.0.0.1:${facts.port}/postgres`;
}
