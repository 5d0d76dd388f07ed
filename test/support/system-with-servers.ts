import { startNats, startPostgres, type TestNats, type TestPostgres } from '@tidegate/testkit';
import postgres from 'postgres';
import { type RunningSystem, runningSystem } from './running-system.ts';

export interface SystemWithServers extends RunningSystem {
  readonly database: TestPostgres;
  readonly nats: TestNats;
  readonly sql: postgres.Sql;
}

/** Starts the system on PostgreSQL and NATS servers that the test itself can stop and start. */
export async function startSystemWithServers(
  options: Parameters<typeof startPostgres>[0] = {},
): Promise<SystemWithServers> {
  const [database, nats] = await Promise.all([startPostgres(options), startNats()]);
  const system = await runningSystem({
    args: [`--postgres-url=${database.url}`, `--nats-url=${nats.url}`],
    // PostgreSQL runs without fsync; a crash of its process alone loses nothing
    env: { TIDEGATE_ALLOW_DATA_LOSS: 'true' },
  });
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  return {
    ...system,
    database,
    nats,
    sql,
    async stop() {
      await system.stop();
      await sql.end();
      await Promise.all([database.stop(), nats.stop()]);
    },
  };
}

/** Counts revisions that are missing within an epoch of the log, and revisions and writes that it has twice. */
export async function countLogFaults(sql: postgres.Sql): Promise<{ gaps: number; twice: number }> {
  const [row] = await sql`
    SELECT sum(gaps)::int AS gaps, sum(twice)::int AS twice
    FROM (
      SELECT max(revision) - min(revision) + 1 - count(DISTINCT revision) AS gaps,
        2 * count(*) - count(DISTINCT operation_id) - count(DISTINCT revision) AS twice
      FROM tidegate.log GROUP BY epoch
    ) e`;
  return { gaps: row?.gaps, twice: row?.twice };
}
