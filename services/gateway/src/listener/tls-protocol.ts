import type { SecureVersion } from 'node:tls';
import { closestName, OptionError } from '@tidegate/options';

/** TLS 1.2 suites by kube-apiserver's names, with those of the TLS library: forward secret and authenticated only. */
const SUITES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
};
/** The suites of TLS 1.3. They are always on. */
const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
const VERSIONS: Readonly<Record<string, SecureVersion>> = { VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' };

/** The TLS versions and suites that are offered. */
export interface Protocol {
  readonly minVersion: SecureVersion;
  readonly ciphers: string;
}

export function readProtocol(options: { tlsMinVersion: string; tlsCipherSuites: readonly string[] }): Protocol {
  const { tlsMinVersion: name, tlsCipherSuites: named } = options;
  const minVersion = Object.hasOwn(VERSIONS, name) ? VERSIONS[name] : undefined;
  if (minVersion === undefined) {
    throw new OptionError(
      `--tls-min-version is VersionTLS12 or VersionTLS13, not ${name}; earlier versions are not safe`,
    );
  }
  const suites = named.length === 0 ? Object.values(SUITES) : named.flatMap(suiteOf);
  return { minVersion, ciphers: [...TLS13_SUITES, ...suites].join(':') };
}

function suiteOf(name: string): string[] {
  if (TLS13_SUITES.includes(name)) return [];
  if (Object.hasOwn(SUITES, name)) return [SUITES[name] as string];
  const near = closestName(name, [...TLS13_SUITES, ...Object.keys(SUITES)]);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new OptionError(`--tls-cipher-suites: ${name} is unknown or no longer safe${hint}`);
}
