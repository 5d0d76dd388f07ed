import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  cacheDir,
  type DataDir,
  ensureCluster,
  findNats,
  freePort,
  isErrno,
  makePostgresSocketDir,
  natsUrl,
  postgresBinaries,
  postgresUrl,
  projectRoot,
  runAsFor,
  startNatsServer,
  startPostgresServer,
  writePrivateFile,
} from '@tidegate/local';
import { stopLeftoverPostgres } from '../processes/leftover-postgres.ts';
import type { ProcessSpec } from '../processes/supervised.ts';
import { requireReachable } from '../processes/urls.ts';
import type { Screen } from '../screen/screen.ts';
import type { StartOptions } from './start-options.ts';

/** PostgreSQL or NATS: its URL, and how to run it unless it runs elsewhere. */
export interface Engine {
  readonly url: string;
  /** text for the screen */
  readonly description: string;
  readonly spec?: ProcessSpec;
  /** the directory of its socket, which is removed at the end */
  readonly socketDir?: string;
}

interface EngineContext {
  readonly options: StartOptions;
  readonly screen: Screen;
  readonly closing: AbortSignal;
}

export async function preparePostgres({ options, screen }: EngineContext): Promise<Engine> {
  if (options.postgresUrl !== '') {
    const url = options.postgresUrl;
    const protocols = ['postgres', 'postgresql'];
    const check = requireReachable({ option: '--postgres-url', url, protocols, defaultPort: 5432 });
    await screen.during('reaching PostgreSQL', check);
    return { url, description: 'PostgreSQL of --postgres-url' };
  }
  const { dataDir, ephemeral } = options;
  const dir = dataDir.postgres;
  const binaries = postgresBinaries();
  const runAs = runAsFor({
    program: binaries.postgres,
    readable: [binaries.catalog],
    passable: [dirname(dir), projectRoot],
  });
  await stopLeftoverPostgres(dir);
  const password = ensurePassword(dataDir);
  const making = ensureCluster({ dir, binaries, runAs, password, sync: !ephemeral });
  await screen.during('creating the data directory of PostgreSQL', making);
  const socketDir = makePostgresSocketDir(runAs);
  return {
    url: postgresUrl({ password, socketDir }),
    description: `PostgreSQL ${binaries.version}`,
    socketDir,
    spec: {
      name: 'postgres',
      logFile: join(dataDir.logs, 'postgres.log'),
      stopLimitMs: 20_000,
      prepare: () => stopLeftoverPostgres(dir),
      start: (log) => startPostgresServer({ dir, binaries, runAs, socketDir }, log),
    },
  };
}

export async function prepareNats({ options, screen, closing }: EngineContext): Promise<Engine> {
  if (options.noNats) return { url: '', description: "no NATS (--no-nats): the watch service follows the store's log" };
  if (options.natsUrl !== '') {
    const url = options.natsUrl;
    const check = requireReachable({ option: '--nats-url', url, protocols: ['nats', 'tls'], defaultPort: 4222 });
    await screen.during('reaching NATS', check);
    return { url, description: 'NATS of --nats-url' };
  }
  const found = await findNats({
    cacheDir: cacheDir(),
    env: process.env,
    closing,
    during: (text, work) => screen.during(text, work),
  });
  if (found.kind === 'none') {
    return {
      url: '',
      description: `no NATS, the watch service follows the store's log (nats-server is not on the path, and ${found.reason})`,
    };
  }
  const server = {
    binary: found.path,
    dir: options.dataDir.nats,
    port: await freePort(),
    password: randomBytes(24).toString('base64url'),
  };
  return {
    url: natsUrl(server),
    description: found.description,
    spec: {
      name: 'nats',
      logFile: join(options.dataDir.logs, 'nats.log'),
      stopLimitMs: 10_000,
      start: (log) => startNatsServer(server, log),
    },
  };
}

function ensurePassword(dataDir: DataDir): string {
  try {
    return readFileSync(dataDir.postgresPassword, 'utf8').trim();
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
  const password = randomBytes(24).toString('base64url');
  writePrivateFile(dataDir.postgresPassword, `${password}\n`);
  return password;
}
