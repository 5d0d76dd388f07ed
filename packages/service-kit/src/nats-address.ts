import { existsSync } from 'node:fs';
import { OptionError, type Options, type OptionTable } from '@tidegate/options';

/** The options of parts that use NATS. */
export const natsOptions = {
  'nats-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'NATS with JetStream, as nats://USER:PASSWORD@HOST:PORT[,HOST:PORT...], or tls://...; empty: no NATS; the watch service follows the log',
  },
  'nats-ca-file': { type: 'string', default: '', value: 'FILE', help: "the authority of NATS' certificate" },
  'nats-cert-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'the client certificate for NATS; empty: none',
  },
  'nats-key-file': { type: 'string', default: '', value: 'FILE', help: 'its key' },
} as const satisfies OptionTable;

export type NatsConfig = Pick<Options<typeof natsOptions>, 'natsUrl'> & Partial<Options<typeof natsOptions>>;

interface NatsTls {
  caFile?: string;
  certFile?: string;
  keyFile?: string;
}

interface NatsAddress {
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  tls?: NatsTls;
}

/**
 * Options for the NATS client, which does not read credentials from URLs, and reads the TLS files at each connection.
 */
export function natsAddress(config: NatsConfig): NatsAddress {
  const { natsUrl: url, natsCaFile = '', natsCertFile = '', natsKeyFile = '' } = config;
  const first = new URL(url.split(',')[0] as string);
  const servers = url.split(',').map((text) => (text.includes('://') ? new URL(text).host : text));
  const files = { caFile: natsCaFile, certFile: natsCertFile, keyFile: natsKeyFile };
  const given = Object.entries(files).filter(([, file]) => file !== '');
  const tls = first.protocol === 'tls:' || given.length > 0 ? { tls: Object.fromEntries(given) as NatsTls } : {};
  return { servers, ...loginOf(first), ...tls };
}

function loginOf({ username, password }: URL): Pick<NatsAddress, 'user' | 'pass' | 'token'> {
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}

/** Validates the options at startup. */
export function checkNats({ natsUrl, natsCaFile, natsCertFile, natsKeyFile }: Options<typeof natsOptions>): void {
  if ((natsCertFile === '') !== (natsKeyFile === '')) {
    throw new OptionError('--nats-cert-file and --nats-key-file must be given together');
  }
  const files = { 'nats-ca-file': natsCaFile, 'nats-cert-file': natsCertFile, 'nats-key-file': natsKeyFile };
  for (const [name, file] of Object.entries(files)) {
    if (file !== '' && !existsSync(file)) throw new OptionError(`--${name}: the file ${file} does not exist`);
  }
  if (natsUrl === '') return;
  for (const text of natsUrl.split(',').filter((one) => one.includes('://'))) {
    if (!URL.canParse(text) || !/^(nats|tls):$/.test(new URL(text).protocol)) {
      // the value may contain a password, so the error does not show it
      throw new OptionError(
        '--nats-url takes nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ before the host',
      );
    }
  }
}
