import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '@tidegate/local';
import { closestName, OptionError, type OptionTable, variableOf } from '@tidegate/options';
import { startOptions } from './start-options.ts';

const PARTS = ['gateway', 'store', 'watch', 'health'] as const;

/** The options that the launcher sets for its parts: addresses, certificates and keys. */
export const SET_HERE: readonly string[] = [
  'instance',
  'lifeline',
  'grpc-address',
  'ops-address',
  'grpc-health-address',
  'peer-cert-file',
  'peer-key-file',
  'peer-ca-file',
  'tls-cert-file',
  'tls-private-key-file',
  'proxy-client-cert-file',
  'proxy-client-key-file',
  'service-account-signing-key-file',
  'store-addresses',
  'watch-addresses',
  'http-address',
  'targets',
  'gateway-url',
  'gateway-ca-file',
  'gateway-cert-file',
  'gateway-key-file',
  'gateway-token-file',
  'root-ca-file',
  'requestheader-client-ca-file',
  'requestheader-allowed-names',
];

interface Split {
  /** the launcher's own arguments */
  readonly own: readonly string[];
  /** the options of the parts, as environment variables */
  readonly variables: Readonly<Record<string, string>>;
}

/** Separates the launcher's options from those that it passes on to its parts. */
export async function splitPartOptions(argv: readonly string[]): Promise<Split> {
  const own: string[] = [];
  const variables: Record<string, string> = {};
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] as string;
    const [name = '', given] = argument.startsWith('--') ? cut(argument.slice(2)) : [];
    if (name === '' || Object.hasOwn(startOptions, name)) {
      own.push(argument);
      continue;
    }
    const { type, separator = ',' } = await rowOf(name);
    if (SET_HERE.includes(name)) {
      throw new OptionError(`--${name} is set by tidegate start itself`);
    }
    const value = given ?? (type === 'boolean' ? 'true' : argv[++i]);
    if (value === undefined) throw new OptionError(`--${name} needs a value`);
    const variable = variableOf(name);
    const before = type === 'list' ? variables[variable] : undefined;
    variables[variable] = before === undefined ? value : `${before}${separator}${value}`;
  }
  return { own, variables };
}

function cut(text: string): [name: string, value: string | undefined] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
}

let tables: Promise<OptionTable> | undefined;

async function rowOf(name: string): Promise<OptionTable[string]> {
  tables ??= partTables();
  const known = await tables;
  const row = Object.hasOwn(known, name) ? known[name] : undefined;
  if (row !== undefined) return row;
  const near = closestName(name, [...Object.keys(startOptions), ...Object.keys(known)]);
  throw new OptionError(`unknown option --${name}${near === undefined ? '' : `; did you mean --${near}?`}`);
}

/** Loads the option tables of the parts; only called when an option is not the launcher's. */
async function partTables(): Promise<OptionTable> {
  const all: Record<string, OptionTable[string]> = {};
  for (const part of PARTS) {
    const file = join(projectRoot, 'services', part, 'src', 'config.ts');
    const { options } = (await import(pathToFileURL(file).href)) as { options: OptionTable };
    Object.assign(all, options);
  }
  return all;
}
