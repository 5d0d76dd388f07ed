import { randomBytes } from 'node:crypto';
import { accessSync, constants, readdirSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readFeatureGates } from '@tidegate/feature-gates';
import { type DataDir, dataDirAt, defaultDataDir, isErrno, UserError } from '@tidegate/local';
import { OptionError, type Options, type OptionTable, readOptions } from '@tidegate/options';

/** The options of `tidegate start`: flags, environment and help come from this table. */
export const startOptions = {
  port: { type: 'number', default: 6443, help: 'port for clients; 0, or no value with --ephemeral: a free port' },
  'bind-address': { type: 'string', default: '127.0.0.1', value: 'IP', help: 'address for clients' },
  'data-dir': { type: 'string', default: defaultDataDir, value: 'DIR', help: 'the directory of all data' },
  kubeconfig: {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'where to write the kubeconfig, which holds a bearer token (default DATA-DIR/kubeconfig)',
  },
  'token-auth-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'more users: lines of token,user,uid,"group1,group2"',
  },
  'client-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'more authorities of client certificates',
  },
  'feature-gates': { type: 'string', default: '', value: 'NAME=true,...', help: 'enables and disables features' },
  'encryption-provider-config': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'an EncryptionConfiguration: which resources are encrypted at rest, with which keys',
  },
  workers: { type: 'number', default: 1, help: 'gateway processes that share the port' },
  'postgres-url': { type: 'string', default: '', value: 'URL', help: 'a running PostgreSQL, instead of starting one' },
  'nats-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'a running NATS with JetStream, instead of starting one',
  },
  'no-nats': { type: 'boolean', default: false, help: "no NATS: the watch service follows the store's log" },
  ephemeral: {
    type: 'boolean',
    default: false,
    help: 'new data in a temporary directory (or in a new --data-dir), deleted at the end',
  },
  'otlp-endpoint': { type: 'string', default: '', value: 'URL', help: 'the receiver of traces: OTLP over HTTP' },
  'log-level': { type: 'string', default: 'info', help: 'the log level of the parts: trace, debug, info, warn, error' },
} as const satisfies OptionTable;

export interface StartOptions extends Omit<Options<typeof startOptions>, 'dataDir'> {
  readonly dataDir: DataDir;
  /** options of the parts, as environment variables */
  readonly partVariables?: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks the options, before anything is changed. */
export function readStartOptions(argv: readonly string[], env: Environment): StartOptions {
  const first = readOptions(startOptions, argv, env);
  // an ephemeral system needs neither the usual port nor the usual data directory
  const table = {
    ...startOptions,
    port: { ...startOptions.port, default: 0 },
    'data-dir': { ...startOptions['data-dir'], default: '' },
  };
  const options = first.ephemeral ? readOptions(table, argv, env) : first;
  validate(options);
  const path = options.dataDir === '' ? ephemeralPath() : options.dataDir;
  if (options.ephemeral) refuseOldData(path);
  const dataDir = dataDirAt(path);
  return {
    ...options,
    encryptionProviderConfig: options.encryptionProviderConfig && resolve(options.encryptionProviderConfig),
    kubeconfig: options.kubeconfig === '' ? dataDir.kubeconfig : resolve(options.kubeconfig),
    dataDir,
  };
}

function validate(options: Options<typeof startOptions>): void {
  const { port, workers } = options;
  readFeatureGates(options.featureGates);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new OptionError(`--port must be a whole number from 0 to 65535, not ${port}`);
  }
  if (!Number.isInteger(workers) || workers < 1 || workers > 64) {
    throw new OptionError(`--workers must be a whole number from 1 to 64, not ${workers}`);
  }
  if (isIP(options.bindAddress) === 0) {
    throw new OptionError(`--bind-address must be an IP address, not ${JSON.stringify(options.bindAddress)}`);
  }
  if (!['trace', 'debug', 'info', 'warn', 'error'].includes(options.logLevel)) {
    throw new OptionError(
      `--log-level must be trace, debug, info, warn or error, not ${JSON.stringify(options.logLevel)}`,
    );
  }
  if (options.noNats && options.natsUrl !== '') throw new OptionError('--no-nats and --nats-url exclude each other');
  requireReadable('token-auth-file', options.tokenAuthFile);
  requireReadable('client-ca-file', options.clientCaFile);
  requireReadable('encryption-provider-config', options.encryptionProviderConfig);
}

function requireReadable(option: string, file: string): void {
  if (file === '') return;
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UserError(`cannot read ${file}: check --${option}`, { cause: error });
  }
}

const EPHEMERAL_PREFIX = 'tidegate-ephemeral-';

/** A path that cannot be guessed; the directory is created later. */
function ephemeralPath(): string {
  return join(tmpdir(), `${EPHEMERAL_PREFIX}${randomBytes(6).toString('hex')}`);
}

/** Removes the directories that killed runs have left. The caller decides which locks are dead. */
export function sweepEphemeral(isDead: (lockFile: string) => boolean): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(EPHEMERAL_PREFIX))) {
    const dir = dataDirAt(join(tmpdir(), name));
    if (isDead(dir.lockFile)) rmSync(dir.path, { recursive: true, force: true });
  }
}

function refuseOldData(path: string): void {
  try {
    if (readdirSync(path).length === 0) return;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return;
    throw error;
  }
  throw new UserError(
    `${path} is not empty, and --ephemeral removes its data directory at the end: give a new one, or none`,
  );
}
