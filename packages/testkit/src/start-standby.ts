import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres, type TestPostgres } from './start-postgres.ts';

/** Of one run of the server, or of the primary alone. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'];

interface StandbyOptions {
  /** as synchronous_standby_names knows it */
  readonly name?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** A standby that streams from a primary: a copy of its files, made while it works. */
export async function startStandby(primary: TestPostgres, options: StandbyOptions = {}): Promise<TestPostgres> {
  const { name = 'standby', settings = {} } = options;
  const { username, password, hostname, port } = new URL(primary.url);
  const login = `user=${username} password=${decodeURIComponent(password)} host=${hostname} port=${port}`;
  return startPostgres({
    data: (dir) => copyRunning(primary, dir),
    settings: { primary_conninfo: `${login} application_name=${name}`, ...settings },
  });
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
