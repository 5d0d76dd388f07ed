import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OptionRow, OptionTable, Section } from './page.ts';
import { shareRows } from './page.ts';

interface Source extends Omit<Section, 'table'> {
  readonly file: string;
  /** the name under which the file exports its table */
  readonly name: string;
}

const SERVICES: readonly Source[] = ['gateway', 'store', 'watch', 'health'].map((service) => ({
  title: service === 'watch' || service === 'health' ? `The ${service} service` : `The ${service}`,
  about: `Read by \`services/${service}\`, beside the options that it shares with other services.`,
  file: `services/${service}/src/config.ts`,
  name: 'options',
}));

const COMMANDS: readonly Source[] = [
  {
    title: '`tidegate start`',
    about: 'Starts PostgreSQL, NATS and the four services on one machine.',
    file: 'programs/tidegate/src/launch/start-options.ts',
    name: 'startOptions',
  },
  {
    title: '`tidegate backup`',
    about: 'Writes all objects to a file: [backup.md](backup.md).',
    file: 'programs/tidegate/src/commands/backup.ts',
    name: 'table',
  },
  {
    title: '`tidegate restore FILE`',
    about: 'Replaces the contents of a database by a backup: [backup.md](backup.md).',
    file: 'programs/tidegate/src/commands/restore.ts',
    name: 'table',
  },
  {
    title: '`tidegate import`',
    about: 'Copies the objects of another cluster: [backup.md](backup.md).',
    file: 'programs/tidegate/src/commands/import.ts',
    name: 'table',
  },
  {
    title: '`tidegate status`, `tidegate stop` and `tidegate kubeconfig`',
    about: 'All three take the same option.',
    file: 'programs/tidegate/src/commands/data-dir-option.ts',
    name: 'table',
  },
];

/** All option tables of the checkout, in the order in which the page shows them. */
export async function readSections(root: string): Promise<Section[]> {
  const services = await Promise.all(SERVICES.map((source) => read(root, source)));
  const commands = await Promise.all(COMMANDS.map((source) => read(root, source)));
  const shared = shareRows(services, [
    {
      title: 'Every service',
      about: 'The gateway, the store, the watch service and the health service have these.',
      of: 4,
    },
    { title: 'The store and the watch service', about: 'Both have these, to reach NATS.', of: 2 },
  ]);
  return [...commands.slice(0, 1), ...shared, ...commands.slice(1)];
}

/** Loads the function of packages/options that returns the environment variable of an option. */
export async function readVariableOf(root: string): Promise<(name: string) => string> {
  const { variableOf } = (await import(hrefOf(root, 'packages/options/src/index.ts'))) as {
    variableOf: (name: string) => string;
  };
  return variableOf;
}

async function read(root: string, { title, about, file, name }: Source): Promise<Section> {
  const exported = (await import(hrefOf(root, file))) as Record<string, OptionTable | undefined>;
  const table = exported[name];
  if (table === undefined) throw new Error(`${file} exports no option table ${name}`);
  return { title, about, table: withoutRoot(table, root) };
}

/** A default path inside the checkout is shown relative to it, so that the page is the same on every machine. */
function withoutRoot(table: OptionTable, root: string): OptionTable {
  const shown = (row: OptionRow): OptionRow =>
    typeof row.default === 'string' && row.default.startsWith(root)
      ? { ...row, default: relative(root, row.default) }
      : row;
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, shown(row)]));
}

function hrefOf(root: string, file: string): string {
  return pathToFileURL(join(root, file)).href;
}
