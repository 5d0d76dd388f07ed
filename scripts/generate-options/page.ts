/** A row of an option table, as packages/options describes it. */
export interface OptionRow {
  readonly type: string;
  readonly help: string;
  readonly default?: string | number | boolean | readonly string[];
  readonly value?: string;
  readonly env?: string;
  readonly required?: boolean;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

/** Options that belong together: those of a service or of a command. */
export interface Section {
  readonly title: string;
  /** one sentence about the programs that read these options */
  readonly about: string;
  readonly table: OptionTable;
}

interface PageOptions {
  readonly sections: readonly Section[];
  readonly variableOf: (name: string) => string;
}

/** The whole page, with a table for each section. */
export function pageOf({ sections, variableOf }: PageOptions): string {
  return `${[INTRODUCTION, ...sections.map((section) => sectionText(section, variableOf))].join('\n\n')}\n`;
}

/**
 * Moves the rows that several tables have in common into sections of their own, in front of the others. A row is shared
 * when the tables hold the same object, because then it comes from one table in the source; rows that only have the
 * same name mean different things to different services, and stay where they are.
 */
export function shareRows(
  sections: readonly Section[],
  shared: ReadonlyArray<Omit<Section, 'table'> & { readonly of: number }>,
): Section[] {
  const usesOf = (name: string, row: OptionRow) => sections.filter(({ table }) => table[name] === row).length;
  const common = shared.map(({ title, about, of }) => ({
    title,
    about,
    table: Object.assign({}, ...sections.map(({ table }) => only(table, (name, row) => usesOf(name, row) === of))),
  }));
  const own = sections.map((section) => ({
    ...section,
    table: only(section.table, (name, row) => !common.some(({ table }) => table[name] === row)),
  }));
  return [...common, ...own];
}

function only(table: OptionTable, keeps: (name: string, row: OptionRow) => boolean): OptionTable {
  return Object.fromEntries(Object.entries(table).filter(([name, row]) => keeps(name, row)));
}

const INTRODUCTION = `<!-- Written by npm run generate:options from the option tables of the services and commands. Do not edit. -->

# All options

\`tidegate COMMAND --help\` prints the options of a command. An option is given as \`--name value\` or \`--name=value\`, or as the environment variable in the second column; the flag takes precedence. A list takes its items in one value (\`A,B\`) or in several flags. Unknown options are rejected, and the error suggests the closest known name.

\`tidegate start\` passes the options of the services on to the services that have them, from its flags and from its environment: \`npm start -- --max-requests-inflight=100\`. In the Helm chart \`gateway.extraArgs\`, \`store.extraArgs\`, \`watch.extraArgs\` and \`health.extraArgs\` set them.`;

function sectionText({ title, about, table }: Section, variableOf: (name: string) => string): string {
  const rows = Object.entries(table).map(([name, row]) => {
    const variables = [variableOf(name), ...(row.env === undefined ? [] : [row.env])];
    return cells([`\`${flagOf(name, row)}\``, variables.map(code).join(', '), defaultOf(row), row.help]);
  });
  const head = ['| option | environment variable | default | meaning |', '|---|---|---|---|'];
  return [`## ${title}`, '', about, '', ...head, ...rows].join('\n');
}

function cells(texts: readonly string[]): string {
  return `| ${texts.map((text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;
}

/** the placeholders for values of options whose tables have none */
const SHOWN_VALUES: ReadonlyMap<string, string> = new Map([
  ['number', 'N'],
  ['list', 'A,B'],
]);

function flagOf(name: string, { type, value }: OptionRow): string {
  if (type === 'boolean') return `--${name}`;
  return `--${name} ${value ?? SHOWN_VALUES.get(type) ?? 'TEXT'}`;
}

function defaultOf(row: OptionRow): string {
  if (row.required === true) return 'required';
  if (row.type === 'boolean') return code(String(row.default ?? false));
  const text = [row.default ?? ''].flat().join(',');
  return text === '' ? '' : code(text);
}

function code(text: string): string {
  return `\`${text}\``;
}
