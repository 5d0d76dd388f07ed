import { BackupError } from './file/backup-error.ts';
import type { Column, Header } from './file/header.ts';
import type { Session } from './session.ts';

const COLUMNS = `SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute
  WHERE attrelid = 'tidegate.objects'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
  ORDER BY attnum`;

/** Reads the columns of tidegate.objects from the database, so that columns of later releases are included. */
export async function objectColumns(session: Session): Promise<Column[]> {
  const rows = await session.query(COLUMNS);
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
}

export async function schemaVersion(session: Session): Promise<number> {
  const [found] = await session.query("SELECT to_regclass('tidegate.migrations') IS NOT NULL");
  if (found?.[0] !== true) return 0;
  const [row] = await session.query('SELECT coalesce(max(number), 0) FROM tidegate.migrations');
  return Number(row?.[0]);
}

/** Rejects a backup with columns that the database lacks, which would be lost. Missing columns get their defaults. */
export function refuseForeignColumns(header: Header, present: readonly Column[]): void {
  for (const column of header.columns) {
    const here = present.find(({ name }) => name === column.name);
    if (here?.type === column.type) continue;
    const what = here === undefined ? 'does not have' : `has as ${here.type}`;
    throw new BackupError(
      `the backup was made by tidegate ${header.version} with a column ${column.name} (${column.type}) that this database ${what}: restore it with that release`,
    );
  }
}

/** A list of columns in SQL; names are quoted, because they come from a file. */
export function columnList(columns: readonly Column[]): string {
  return columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(', ');
}
