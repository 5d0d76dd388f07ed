import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { trusting } from '@tidegate/service-kit';
import type postgres from 'postgres';
import { type Host, primaryDialer } from './primary.ts';

type ConnectOptions = Pick<postgres.Options<Record<string, never>>, 'host' | 'ssl' | 'target_session_attrs'> & {
  /** an option that the driver's types lack */
  socket?: () => Promise<Socket>;
};

export interface ConnectTarget {
  readonly url: string;
  readonly options: ConnectOptions;
}

/**
 * Reads the parts of a connection URL that libpq knows and the driver does not: a socket's directory as ?host=, the
 * files of TLS, and the role of the server. By default it must be the primary, because a standby has old data.
 */
export function connectTarget(url: string): ConnectTarget {
  const [base = '', query = ''] = splitQuery(url);
  const parameters = new URLSearchParams(query);
  const options: ConnectOptions = {};
  const host = parameters.get('host');
  if (host !== null) options.host = host;
  const role = roleOf(parameters.get('target_session_attrs') ?? 'primary');
  if (role !== undefined) options.target_session_attrs = role;
  const ssl = tlsOptions(parameters);
  if (ssl !== undefined) options.ssl = ssl;
  for (const name of ['host', 'sslrootcert', 'sslcert', 'sslkey', 'target_session_attrs']) parameters.delete(name);
  if (ssl !== undefined) parameters.delete('sslmode');
  const rest = parameters.toString();
  const { urls, hosts } = hostsOf(rest === '' ? base : `${base}?${rest}`);
  if (hosts.length > 1) {
    options.socket = primaryDialer(hosts, (host) => urls[hosts.indexOf(host)] as string, { ...options });
  }
  return { url: urls[0] as string, options };
}

/** The driver's read-write checks a setting that standbys may have, too; and it does not know `any`. */
function roleOf(attributes: string): ConnectOptions['target_session_attrs'] {
  if (attributes === 'any') return undefined;
  return attributes === 'read-write' ? 'primary' : (attributes as ConnectOptions['target_session_attrs']);
}

/** Returns one URL for each host of a list. */
function hostsOf(url: string): { urls: string[]; hosts: Host[] } {
  const [, start = '', list = '', end = ''] = /^([a-z]+:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url) ?? [];
  if (!list.includes(',')) return { urls: [url], hosts: [] };
  const names = list.split(',');
  const hosts = names.map((name) => {
    const [, host = '', port = '5432'] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(name) ?? [];
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  });
  return { urls: names.map((name) => `${start}${name}${end}`), hosts };
}

function splitQuery(url: string): string[] {
  const at = url.indexOf('?');
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}

/** The driver's own modes accept any certificate; this function adds the modes that verify it. */
function tlsOptions(parameters: URLSearchParams): object | undefined {
  const mode = parameters.get('sslmode') ?? 'prefer';
  const ca = fileOf(parameters, 'sslrootcert');
  const identity = {
    ...(ca === undefined ? {} : trusting(ca)),
    ...optional('cert', fileOf(parameters, 'sslcert')),
    ...optional('key', fileOf(parameters, 'sslkey')),
  };
  if (mode === 'verify-full') return { ...identity, rejectUnauthorized: true };
  if (mode === 'verify-ca' || (mode === 'require' && ca !== undefined)) {
    return { ...identity, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  }
  return mode === 'require' ? { ...identity, rejectUnauthorized: false } : undefined;
}

function fileOf(parameters: URLSearchParams, name: string): string | undefined {
  const path = parameters.get(name);
  return path === null ? undefined : readFileSync(path, 'utf8');
}

function optional(name: string, value: string | undefined): object {
  return value === undefined ? {} : { [name]: value };
}
