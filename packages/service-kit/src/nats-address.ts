import { existsSync } from 'node:fs';
import { OptionError, type Options, type OptionTable } from '@tidegate/options';

/** How a part that uses NATS reaches it. */
export const natsOptions = {
  'nats-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'NATS with JetStream, as nats://USER:PASSWORD@HOST:PORT[,HOST:PORT...], or tls://...; empty: there is none, and the watch service follows the log',
  },
  'nats-ca-file': { type: 'string', default: '', value: 'FILE', help: 'NATS has a certificate of this authority' },
  'nats-cert-file': { type: 'string', default: '', value: 'FILE', help: 'shown to NATS; empty: none' },
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

/** As the client wants it: it does not read credentials from a URL, and takes files by their names at each connection. */
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

/** Refuses at the start what could never be used. */
export function checkNats({ natsUrl, natsCaFile, natsCertFile, natsKeyFile }: Options<typeof natsOptions>): void {
  if ((natsCertFile === '') !== (natsKeyFile === '')) {
    throw new OptionError('--nats-cert-file and --nats-key-file must be given together');
  }
  const files = { 'nats-ca-file': natsCaFile, 'nats-cert-file': natsCertFile, 'nats-key-file': natsKeyFile };
  for (const [name, file] of Object.entries(files)) {
    if (file !== '' && !existsSync(file)) throw new OptionError(`--${name}: there is no file ${file}`);
  }
  if (natsUrl === '') return;
  for (const text of natsUrl.split(',').filter((one) => one.includes('://'))) {
    if (!URL.canParse(text) || !/^(nats|tls):$/.test(new URL(text).protocol)) {
      // what is no URL may have a password in it
      throw new OptionError(
        '--nats-url takes nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ before the host',
      );
    }
  }
}
