import { readFileSync } from 'node:fs';
import type postgres from 'postgres';

type ConnectOptions = Pick<postgres.Options<Record<string, never>>, 'host' | 'ssl' | 'target_session_attrs'>;

export interface ConnectTarget {
  readonly url: string;
  readonly options: ConnectOptions;
}

/**
 * Reads a connection URL as libpq does, for what the driver does not know: a socket's directory as ?host=, the files
 * of TLS, and that of several hosts the one that takes writes is meant.
 */
export function connectTarget(url: string): ConnectTarget {
  const [base = '', query = ''] = splitQuery(url);
  const parameters = new URLSearchParams(query);
  const options: ConnectOptions = {};
  const host = parameters.get('host');
  if (host !== null) options.host = host;
  if (/^[a-z]+:\/\/[^/?]*,/.test(url) && !parameters.has('target_session_attrs')) {
    options.target_session_attrs = 'read-write';
  }
  const ssl = tlsOptions(parameters);
  if (ssl !== undefined) options.ssl = ssl;
  for (const name of ['host', 'sslrootcert', 'sslcert', 'sslkey']) parameters.delete(name);
  if (ssl !== undefined) parameters.delete('sslmode');
  const rest = parameters.toString();
  return { url: rest === '' ? base : `${base}?${rest}`, options };
}

function splitQuery(url: string): string[] {
  const at = url.indexOf('?');
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}

/** The driver's own modes trust any certificate; those that verify are spelled out here. */
function tlsOptions(parameters: URLSearchParams): object | undefined {
  const mode = parameters.get('sslmode') ?? 'prefer';
  const ca = fileOf(parameters, 'sslrootcert');
  const identity = {
    ...(ca === undefined ? {} : { ca }),
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
