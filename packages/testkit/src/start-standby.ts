import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres, type TestPostgres } from './start-postgres.ts';
import { until } from './until.ts';

/** Files that belong to one run of the server, or only to the primary. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'];

interface StandbyOptions {
  /** its name in synchronous_standby_names */
  readonly name?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a standby that streams from a primary, from an online copy of its files. */
export async function startStandby(primary: TestPostgres, options: StandbyOptions = {}): Promise<TestPostgres> {
  const { name = 'standby', settings = {} } = options;
  return startPostgres({
    data: (dir) => copyRunning(primary, dir),
    settings: { primary_conninfo: conninfo(primary, name), ...settings },
  });
}

/** Resolves when the standby has replayed everything that the primary has written. */
export function caughtUp(standby: TestPostgres, primary: TestPostgres): Promise<unknown> {
  return until('the standby to have caught up', () => hasCaughtUp(primary, standby));
}

/** Resolves when the standby accepts writes. */
export async function promote(standby: TestPostgres): Promise<void> {
  await ask(standby, 'SELECT pg_promote(true, 60)');
}

/** Restarts a stopped server as the standby of another one. */
export async function demote(former: TestPostgres, primary: TestPostgres): Promise<void> {
  writeFileSync(join(former.dir, 'standby.signal'), '');
  former.configure({ primary_conninfo: conninfo(primary, 'former') });
  await former.restart();
}

function conninfo({ url }: TestPostgres, name: string): string {
  const { username, password, hostname, port } = new URL(url);
  return `user=${username} password=${decodeURIComponent(password)} host=${hostname} port=${port} application_name=${name}`;
}

async function hasCaughtUp(primary: TestPostgres, standby: TestPostgres): Promise<boolean> {
  const written = await ask(primary, 'SELECT pg_current_wal_insert_lsn()::text');
  return (await ask(standby, `SELECT pg_last_wal_replay_lsn() >= '${written}'::pg_lsn`)) === true;
}

async function ask({ url }: TestPostgres, question: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql.unsafe(question).values();
    return row?.[0];
  } finally {
    await sql.end();
  }
}

async function copyRunning(primary: TestPostgres, dir: string): Promise<void> {
  const sql = postgres(primary.url, { max: 1, onnotice: () => {} });
  try {
    await sql`SELECT pg_backup_start('standby', true)`;
    mkdirSync(dir, { mode: 0o700 });
    for (const name of readdirSync(primary.dir).filter((entry) => !LEFT_OUT.includes(entry))) {
      cpSync(join(primary.dir, name), join(dir, name), { recursive: true });
    }
    for (const name of ['pg_wal', 'pg_replslot']) mkdirSync(join(dir, name), { mode: 0o700 });
    const [stopped] = await sql`SELECT labelfile, spcmapfile FROM pg_backup_stop(false)`;
    writeFileSync(join(dir, 'backup_label'), stopped?.labelfile as string);
    writeFileSync(join(dir, 'standby.signal'), '');
  } finally {
    await sql.end();
  }
}
