import type { Column, Header } from './heading.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

const COLUMNS = `SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute
  WHERE attrelid = 'tidegate.objects'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
  ORDER BY attnum`;

/** Of tidegate.objects as the database has it: a column that a later release adds is carried without a change here. */
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

/** Columns that the backup lacks get their defaults; one that the database lacks would be lost. */
export function refuseForeignColumns(header: Header, present: readonly Column[]): void {
  for (const column of header.columns) {
    const here = present.find(({ name }) => name === column.name);
    if (here?.type === column.type) continue;
    const what = here === undefined ? 'does not have' : `has as ${here.type}`;
    throw new Refusal(
      `the backup was made by tidegate ${header.version} with a column ${column.name} (${column.type}) that this database ${what}: restore it with that release`,
    );
  }
}

/** A list of columns in SQL; names come out of a file, and are quoted. */
export function columnList(columns: readonly Column[]): string {
  return columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(', ');
}
