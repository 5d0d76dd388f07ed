import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Pool, Transaction } from './connection.ts';

/** an arbitrary number that no other application is likely to lock */
const LOCK = 7_433_443_201;

interface SqlFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Brings the schema to this release's version. Replicas that start at the same time wait for an advisory lock, and then
 * find nothing to do. Each migration is applied once, in the order of numbers; a function is replaced when its text has
 * changed. A schema that is newer than this release is an error.
 */
export async function migrate(pool: Pool, migrations: readonly SqlFile[] = migrationFiles()): Promise<void> {
  await pool.transaction('', async (run) => {
    await run('SELECT pg_advisory_xact_lock($1::bigint)', [LOCK]);
    const applied = await appliedVersion(run);
    const wanted = migrations.length;
    if (applied > wanted) {
      throw new Error(
        `The database has schema version ${applied} and this release supports only ${wanted}: start a newer release of the store.`,
      );
    }
    for (const file of migrations.slice(applied)) {
      await runScript(run, file.text);
      const number = Number.parseInt(file.name, 10);
      await run('INSERT INTO tidegate.migrations (number, name) VALUES ($1::integer, $2)', [number, file.name]);
    }
    await replaceFunctions(run);
  });
}

async function appliedVersion(run: Transaction): Promise<number> {
  const [found] = await run("SELECT to_regclass('tidegate.migrations') IS NOT NULL");
  if (found?.[0] !== true) {
    await run('CREATE SCHEMA IF NOT EXISTS tidegate');
    await run(`CREATE TABLE tidegate.migrations (
      number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`);
    await run('CREATE TABLE tidegate.functions (name text PRIMARY KEY, digest text NOT NULL)');
  }
  const [row] = await run('SELECT coalesce(max(number), 0) FROM tidegate.migrations');
  return Number(row?.[0]);
}

async function replaceFunctions(run: Transaction): Promise<void> {
  const rows = await run('SELECT name, digest FROM tidegate.functions');
  const present = new Map(rows.map(([name, digest]) => [name, digest]));
  for (const file of sqlFiles('./sql/')) {
    const digest = createHash('sha256').update(file.text).digest('hex');
    if (present.get(file.name) === digest) continue;
    await runScript(run, file.text);
    await run(
      `INSERT INTO tidegate.functions (name, digest) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET digest = excluded.digest`,
      [file.name, digest],
    );
  }
}

/** Runs one statement in each call, as the extended protocol requires. */
async function runScript(run: Transaction, text: string): Promise<void> {
  for (const statement of splitStatements(text)) await run(statement);
}

/** Statements end with a semicolon at the end of a line, outside dollar quotes. */
function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current = '';
  let quoted = false;
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('--') && !quoted) continue;
    if ((line.split('$$').length - 1) % 2 === 1) quoted = !quoted;
    current += `${line}\n`;
    if (!quoted && line.trimEnd().endsWith(';')) {
      statements.push(current);
      current = '';
    }
  }
  if (current.trim() !== '') statements.push(current);
  return statements;
}

export function migrationFiles(): SqlFile[] {
  return sqlFiles('./migrations/');
}

function sqlFiles(folder: string): SqlFile[] {
  const url = new URL(folder, import.meta.url);
  return readdirSync(url)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, url), 'utf8') }));
}
