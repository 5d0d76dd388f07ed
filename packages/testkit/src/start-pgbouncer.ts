import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, freePort } from '@tidegate/local';
import type { TestPostgres } from './start-postgres.ts';
import { temporaryDir } from './temporary-dir.ts';
import { until } from './until.ts';

const FETCH_MS = 120_000;
const run = promisify(execFile);

/** The environment in which a program from an unpacked package finds its libraries. */
function environment(program: string): NodeJS.ProcessEnv {
  const libraries = join(dirname(program), '..', 'lib');
  const dirs = existsSync(libraries) ? readdirSync(libraries).map((name) => join(libraries, name)) : [];
  return program.includes('/') ? { ...process.env, LD_LIBRARY_PATH: dirs.join(':') } : process.env;
}

export interface Pgbouncer {
  readonly program: string;
  /** as 1.18 */
  readonly version: number;
}

/**
 * PgBouncer on the PATH, or from the system's package, unpacked in the project's cache; or the reason why it is
 * missing.
 */
export async function findPgbouncer(): Promise<Pgbouncer | string> {
  const place = join(cacheDir(), 'pgbouncer');
  try {
    // ENOENT: it is not on the path
    const found = await versionOf('pgbouncer').catch(() => undefined);
    if (found !== undefined) return found;
    if (!existsSync(place)) await unpack(place);
    return await versionOf(join(place, 'usr', 'sbin', 'pgbouncer'));
  } catch (error) {
    return `pgbouncer is not available: ${String((error as Error).message)
      .trim()
      .split('\n')
      .at(-1)}`;
  }
}

async function versionOf(program: string): Promise<Pgbouncer> {
  const { stdout } = await run(program, ['--version'], { env: environment(program) });
  return { program, version: Number(/PgBouncer (\d+\.\d+)/.exec(stdout)?.[1]) };
}

async function unpack(place: string): Promise<void> {
  const work = `${place}.${process.pid}.work`;
  mkdirSync(work, { recursive: true });
  try {
    const packages = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'];
    await run('apt-get', ['download', '-qq', ...packages], { cwd: work, timeout: FETCH_MS });
    for (const file of readdirSync(work)) await run('dpkg', ['-x', join(work, file), join(work, 'unpacked')]);
    renameSync(join(work, 'unpacked'), place);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Starts a pooler in transaction mode in front of PostgreSQL. */
export async function startPgbouncer(
  { program, version }: Pgbouncer,
  postgres: TestPostgres,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { path, remove } = temporaryDir('pgbouncer');
  const [port, { username, password }] = [await freePort(), new URL(postgres.url)];
  const users = join(path, 'users');
  writeFileSync(users, `"${username}" "${password}"\n`);
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${postgres.port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    `auth_type = scram-sha-256\nauth_file = ${users}`,
    `pool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 100${version >= 1.21 ? '\nmax_prepared_statements = 100' : ''}`,
  ];
  writeFileSync(join(path, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
  // it refuses to run as root, and only needs to read its files
  const ids = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(program, [join(path, 'pgbouncer.ini')], {
    stdio: 'ignore',
    cwd: '/',
    env: environment(program),
    ...ids,
  });
  const ended = once(child, 'exit');
  await until('pgbouncer to take connections', () => answers(port));
  return {
    url: postgres.url.replace(`:${postgres.port}/`, `:${port}/`),
    async stop() {
      child.kill('SIGKILL');
      await ended;
      remove();
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}
