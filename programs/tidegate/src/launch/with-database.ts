import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockHolder, postgresUrl, readRunState, removeSocketDir, UserError } from '@tidegate/local';
import { Supervised } from '../processes/supervised.ts';
import { requireReachable } from '../processes/urls.ts';
import type { Screen } from '../screen/screen.ts';
import { claimDataDir } from './claim.ts';
import { preparePostgres } from './engines.ts';
import { readStartOptions } from './start-options.ts';

interface DatabaseChoice {
  readonly dataDir: string;
  /** empty: the database of the data directory */
  readonly postgresUrl: string;
  /** whether a missing database is created in the data directory */
  readonly create: boolean;
}

/**
 * Runs work with the URL of a database: the given one, that of the system that runs on the data directory, or, where
 * none runs, that of a PostgreSQL that is started on the data directory for the time of the work.
 */
export async function withDatabase(
  choice: DatabaseChoice,
  screen: Screen,
  work: (url: string) => Promise<number>,
): Promise<number> {
  if (choice.postgresUrl !== '') {
    const { postgresUrl: url } = choice;
    const protocols = ['postgres', 'postgresql'];
    await requireReachable({ option: '--postgres-url', url, protocols, defaultPort: 5432 });
    return work(url);
  }
  const options = readStartOptions([`--data-dir=${choice.dataDir}`], {});
  const { dataDir } = options;
  const holder = lockHolder(dataDir.lockFile);
  if (holder !== undefined) {
    const state = readRunState(dataDir.runFile);
    if (state?.launcher.pid !== holder.pid || !state.ready) {
      throw new UserError(
        `tidegate (process ${holder.pid}) is starting on ${dataDir.path}: try again when it is ready`,
      );
    }
    if (state.socketDir === undefined) {
      throw new UserError(
        `the system on ${dataDir.path} uses an external PostgreSQL: give its URL with --postgres-url`,
      );
    }
    const password = readFileSync(dataDir.postgresPassword, 'utf8').trim();
    return work(postgresUrl({ password, socketDir: state.socketDir }));
  }
  if (!choice.create && !existsSync(join(dataDir.postgres, 'PG_VERSION'))) {
    throw new UserError(`there is no database in ${dataDir.path}: give another --data-dir, or a --postgres-url`);
  }
  const claim = await claimDataDir(options);
  try {
    const closing = new AbortController();
    const engine = await preparePostgres({ options, screen, closing: closing.signal });
    const server = new Supervised(engine.spec as NonNullable<typeof engine.spec>, {
      onDeath: ({ reason, logFile }) => screen.line(`postgres ${reason} (its log: ${logFile})`),
    });
    server.start();
    try {
      return await work(engine.url);
    } finally {
      await screen.during('stopping postgres', server.stop(closing.signal));
      if (engine.socketDir !== undefined) removeSocketDir(engine.socketDir);
    }
  } finally {
    claim.release('done');
  }
}
