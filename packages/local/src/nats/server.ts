import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../data/private-file.ts';
import { startUnderLifeline } from '../supervise/lifeline.ts';
import type { LogFile } from '../supervise/log-file.ts';
import type { Running } from '../supervise/running.ts';

interface NatsOptions {
  readonly binary: string;
  /** the directory of the configuration and of JetStream's files */
  readonly dir: string;
  readonly port: number;
  readonly password: string;
  /** clients must use TLS, with a certificate of this authority */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile: string };
}

const USER = 'tidegate';

export function natsUrl(options: Pick<NatsOptions, 'port' | 'password'>): string {
  return `nats://${USER}:${options.password}@127.0.0.1:${options.port}`;
}

/** Writes the password into a file that only the owner can read: every user of the machine can read arguments. */
export function writeNatsConfig(options: NatsOptions): string {
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const file = join(options.dir, 'nats.conf');
  writePrivateFile(
    file,
    `server_name: tidegate
host: 127.0.0.1
port: ${options.port}
authorization { user: ${USER}, password: ${JSON.stringify(options.password)} }
${tlsConfig(options)}jetstream {
  store_dir: ${JSON.stringify(join(options.dir, 'jetstream'))}
  max_memory_store: 1GB
  max_file_store: 4GB
}
`,
  );
  return file;
}

function tlsConfig({ tls }: NatsOptions): string {
  if (tls === undefined) return '';
  const [cert, key, ca] = [tls.certFile, tls.keyFile, tls.caFile].map((file) => JSON.stringify(file));
  return `tls { cert_file: ${cert}, key_file: ${key}, ca_file: ${ca}, verify: true }\n`;
}

export function startNatsServer(options: NatsOptions, log: LogFile): Running {
  const args = ['--config', writeNatsConfig(options)];
  const env = { PATH: process.env.PATH, GOMEMLIMIT: process.env.GOMEMLIMIT };
  return startUnderLifeline({ command: options.binary, args, env, log, stopSignal: 'SIGTERM' });
}
