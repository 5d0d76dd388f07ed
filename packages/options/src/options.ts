/**
 * One table of options per part. Flags, environment variables and --help are derived from it.
 * The flag `--store-addresses` is also the variable TIDEGATE_STORE_ADDRESSES; the flag takes precedence.
 */
type OptionType = 'string' | 'number' | 'boolean' | 'list';

interface OptionRow {
  readonly type: OptionType;
  readonly help: string;
  readonly default?: string | number | boolean | readonly string[];
  /** the placeholder for the value in the help text */
  readonly value?: string;
  /** another environment variable that is read after the option's own */
  readonly env?: string;
  readonly required?: boolean;
  /** the separator of list items; the default is a comma */
  readonly separator?: string;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

type ValueOf<R extends OptionRow> = R['type'] extends 'string'
  ? string
  : R['type'] extends 'number'
    ? number
    : R['type'] extends 'boolean'
      ? boolean
      : string[];

type CamelCase<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;

export type Options<T extends OptionTable> = { -readonly [K in keyof T as CamelCase<K & string>]: ValueOf<T[K]> };

/** An error in the command line. Its message is one line and says what to do. */
export class OptionError extends Error {}

export function readOptions<T extends OptionTable>(
  table: T,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options<T> {
  const texts = new Map<string, string>();
  for (const [name, row] of Object.entries(table)) {
    const text = env[variableOf(name)] ?? (row.env === undefined ? undefined : env[row.env]);
    if (text !== undefined) texts.set(name, text);
  }
  const given = new Map<string, string>();
  for (const [name, text] of flagsOf(table, argv)) {
    const before = table[name]?.type === 'list' ? given.get(name) : undefined;
    given.set(name, before === undefined ? text : `${before}${separatorOf(table[name])}${text}`);
  }
  for (const [name, text] of given) texts.set(name, text);

  const result: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const text = texts.get(name);
    if (text === undefined && row.required) {
      throw new OptionError(`--${name} (or ${variableOf(name)}) is required: ${row.help}`);
    }
    result[camelCase(name)] = text === undefined ? defaultOf(row) : parseValue(name, row, text);
  }
  return result as Options<T>;
}

/** Separates operands (`restore FILE`) from options; operands may be anywhere among the options. */
export function splitOperands(
  table: OptionTable,
  argv: readonly string[],
): { operands: readonly string[]; flags: readonly string[] } {
  const operands: string[] = [];
  const flags: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] as string;
    (argument.startsWith('--') ? flags : operands).push(argument);
    const row = table[argument.slice(2)];
    const value = argv[i + 1];
    if (!argument.startsWith('--') || row === undefined || row.type === 'boolean' || value === undefined) continue;
    flags.push(value);
    i++;
  }
  return { operands, flags };
}

function* flagsOf(table: OptionTable, argv: readonly string[]): Generator<[string, string]> {
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] as string;
    if (!argument.startsWith('--')) throw new OptionError(`unexpected argument ${argument}; see --help`);
    const equals = argument.indexOf('=');
    const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      const near = closestName(name, Object.keys(table));
      throw new OptionError(`unknown option --${name}${near === undefined ? '' : `; did you mean --${near}?`}`);
    }
    if (equals >= 0) yield [name, argument.slice(equals + 1)];
    else if (row.type === 'boolean') yield [name, 'true'];
    else {
      const next = argv[++i];
      if (next === undefined) throw new OptionError(`--${name} needs a value: ${row.help}`);
      yield [name, next];
    }
  }
}

function separatorOf(row: OptionRow | undefined): string {
  return row?.separator ?? ',';
}

function parseValue(name: string, row: OptionRow, text: string): unknown {
  switch (row.type) {
    case 'string':
      return text;
    case 'list':
      return text.split(separatorOf(row)).filter((item) => item !== '');
    case 'boolean':
      if (text === 'true' || text === '1') return true;
      if (text === 'false' || text === '0') return false;
      throw new OptionError(`--${name} must be true or false, not ${JSON.stringify(text)}`);
    case 'number': {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value)) {
        throw new OptionError(`--${name} must be a number, not ${JSON.stringify(text)}`);
      }
      return value;
    }
  }
}

function defaultOf(row: OptionRow): unknown {
  if (row.default !== undefined) return row.type === 'list' ? [...(row.default as readonly string[])] : row.default;
  return { string: '', number: 0, boolean: false, list: [] }[row.type];
}

export function helpText(table: OptionTable): string {
  const left = Object.entries(table).map(([name, row]) =>
    row.type === 'boolean'
      ? `--${name}`
      : `--${name} ${row.value ?? { number: 'N', list: 'A,B' }[row.type as string] ?? 'TEXT'}`,
  );
  const width = Math.max(...left.map((text) => text.length)) + 2;
  return Object.values(table)
    .map((row, i) => {
      const fallback =
        row.default === undefined || row.default === '' || row.default === false
          ? ''
          : ` (default ${String(row.default)})`;
      return `  ${(left[i] as string).padEnd(width)}${row.help}${fallback}`;
    })
    .join('\n');
}

/** The name that the user most likely meant, if one is close enough. */
export function closestName(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The environment variable of an option. */
export function variableOf(name: string): string {
  return `TIDEGATE_${name.replaceAll('-', '_').toUpperCase()}`;
}
