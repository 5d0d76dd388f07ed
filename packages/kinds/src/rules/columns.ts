import type { Column } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';

type Cell = Column['cell'];

/** A column of type string. */
export function column(name: string, description: string, cell: Cell): Column {
  return { name, type: 'string', description, cell };
}

/** A column that only wide output shows. */
export function wide(name: string, description: string, cell: Cell): Column {
  return { name, type: 'string', description, priority: 1, cell };
}

export function integer(name: string, description: string, cell: Cell): Column {
  return { name, type: 'integer', description, cell };
}

export function boolean(name: string, description: string, cell: Cell): Column {
  return { name, type: 'boolean', description, cell };
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique for its kind and namespace',
  cell: (object) => metaOf(object).name ?? '',
};

export const ageColumn: Column = column('Age', 'Time since the creation of the object', (object) =>
  ageOf(metaOf(object).creationTimestamp),
);

/** The columns of types without their own. */
export const defaultColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Created At',
    type: 'date',
    description: 'Time of the creation of the object, by the clock of the server',
    cell: (object) => metaOf(object).creationTimestamp ?? null,
  },
];

/** The age, in the short form that kubectl prints: 45s, 12m, 3h20m, 2d5h, 400d. */
export function ageOf(timestamp: string | undefined, now = Date.now()): string {
  if (timestamp === undefined) return '<unknown>';
  const seconds = Math.floor((now - Date.parse(timestamp)) / 1000);
  if (Number.isNaN(seconds)) return '<unknown>';
  return shortDuration(seconds);
}

/** A number of seconds in the same form. */
export function shortDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  return days < 8 * 365 ? withRest(Math.floor(days / 365), 'y', days % 365, 'd') : `${Math.floor(days / 365)}y`;
}

function withRest(value: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${value}${unit}` : `${value}${unit}${rest}${restUnit}`;
}
