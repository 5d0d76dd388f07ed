import type { Json } from '@tidegate/schema';
import type { Column } from '../kind-entry.ts';
import { ageColumn, ageOf, nameColumn } from '../rules/columns.ts';
import type { PrinterColumn } from './definition.ts';
import { jsonPath } from './json-path.ts';

/** The columns of a definition; undefined when it has none. */
export function columnsOf(columns: readonly PrinterColumn[] = []): readonly Column[] | undefined {
  return columns.length === 0 ? undefined : [nameColumn, ...columns.map(columnOf)];
}

/** The columns of custom resources whose definition has none. */
export const customDefaultColumns: readonly Column[] = [nameColumn, { ...ageColumn, type: 'date' }];

function columnOf({ name, type, format = '', description = '', priority = 0, jsonPath: path }: PrinterColumn): Column {
  const find = jsonPath(path);
  return {
    name,
    type: type as Column['type'],
    format,
    description,
    priority,
    cell: (object) => {
      const [value] = find?.(object) ?? [];
      return value === undefined || value === null ? null : cellOf(type, value);
    },
  };
}

function cellOf(type: string, value: Json): string | number | boolean | null {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? Number(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateOf(value) : null;
    default:
      return null;
  }
}

function dateOf(value: string): string {
  return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value);
}
