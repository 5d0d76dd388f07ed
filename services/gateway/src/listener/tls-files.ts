import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type Server,
  type TlsOptions,
} from 'node:tls';
import { OptionError } from '@tidegate/options';
import {
  type CertificateInUse,
  type KeyPair,
  type Kit,
  readKeyPair,
  trusting,
  WatchedFiles,
} from '@tidegate/service-kit';
import { type Protocol, readProtocol } from './tls-protocol.ts';

interface ServingOptions {
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  readonly tlsSniCertKey: readonly string[];
  readonly tlsMinVersion: string;
  readonly tlsCipherSuites: readonly string[];
  /** authorities for client certificates; empty: no client certificate is requested */
  readonly authorityFiles: readonly string[];
}

/** A certificate for certain server names. */
interface Named {
  readonly certFile: string;
  readonly keyFile: string;
  /** empty: the names in the certificate */
  readonly names: readonly string[];
}

interface Loaded {
  readonly fallback: SecureContextOptions;
  readonly named: ReadonlyArray<{ readonly name: string; readonly context: SecureContext }>;
  readonly inUse: readonly CertificateInUse[];
}

/**
 * The serving certificates, and the authorities that verify client certificates.
 *
 * Invariant: new connections use the current contents of the files as soon as these match each other; open ones stay.
 */
export class TlsFiles {
  readonly #options: ServingOptions;
  readonly #protocol: Protocol;
  readonly #named: readonly Named[];
  readonly #files: WatchedFiles<Loaded>;

  constructor(options: ServingOptions, log: Kit['log']) {
    this.#options = options;
    this.#protocol = readProtocol(options);
    this.#named = options.tlsSniCertKey.map(namedOf);
    const pairs = [{ certFile: options.tlsCertFile, keyFile: options.tlsPrivateKeyFile }, ...this.#named];
    const files = [...pairs.flatMap(({ certFile, keyFile }) => [certFile, keyFile]), ...options.authorityFiles];
    try {
      this.#files = new WatchedFiles({ files, read: () => this.#load(), log });
    } catch (error) {
      throw new OptionError(`the serving certificates cannot be used: ${(error as Error).message}`, { cause: error });
    }
  }

  /** The options for creating a server. */
  get tls(): TlsOptions {
    const requestsCertificate = this.#options.authorityFiles.length > 0;
    return {
      ...this.#files.value.fallback,
      SNICallback: (name, done) => done(null, this.#contextFor(name)),
      // a client certificate is requested and verified, but a client without one may still have a token
      ...(requestsCertificate && { requestCert: true, rejectUnauthorized: false }),
    };
  }

  inUse(): readonly CertificateInUse[] {
    return this.#files.value.inUse;
  }

  /** Updates a server when the files change. */
  keep(server: Pick<Server, 'setSecureContext'>): void {
    this.#files.onChange(({ fallback }) => server.setSecureContext(fallback));
  }

  close(): void {
    this.#files.close();
  }

  #load(): Loaded {
    const { tlsCertFile, tlsPrivateKeyFile, authorityFiles } = this.#options;
    const ca = authorityFiles.map((file) => readFileSync(file));
    const shared = { ...this.#protocol, ...(ca.length > 0 && trusting(ca)) };
    const fallbackPair = readKeyPair(tlsCertFile, tlsPrivateKeyFile);
    const fallback = { ...shared, ...fallbackPair };
    // fails here for unusable files, and not with the first client
    createSecureContext(fallback);
    const inUse = [{ file: tlsCertFile, pem: fallbackPair.cert }];
    const named = this.#named.flatMap(({ certFile, keyFile, names }) => {
      const pair = readKeyPair(certFile, keyFile);
      inUse.push({ file: certFile, pem: pair.cert });
      const context = createSecureContext({ ...shared, ...pair });
      return (names.length > 0 ? names : namesIn(pair)).map((name) => ({ name: name.toLowerCase(), context }));
    });
    return { fallback, named, inUse };
  }

  /** An exact name takes precedence over a wildcard. */
  #contextFor(name: string): SecureContext | undefined {
    const { named } = this.#files.value;
    const requested = name.toLowerCase();
    const wildcard = requested.replace(/^[^.]+/, '*');
    return (named.find((one) => one.name === requested) ?? named.find((one) => one.name === wildcard))?.context;
  }
}

/** Parses `CERT,KEY` or `CERT,KEY:NAME,NAME` as kube-apiserver does. Here several are separated by semicolons. */
function namedOf(text: string): Named {
  const [files = '', names = ''] = text.split(':');
  const [certFile = '', keyFile = '', ...more] = files.split(',');
  if (certFile === '' || keyFile === '' || more.length > 0) {
    throw new OptionError(`--tls-sni-cert-key takes CERT,KEY or CERT,KEY:NAME,..., not ${text}`);
  }
  return { certFile, keyFile, names: names.split(',').filter((name) => name !== '') };
}

function namesIn({ cert }: KeyPair): string[] {
  const { subject, subjectAltName = '' } = new X509Certificate(cert);
  const names = [...subjectAltName.matchAll(/DNS:([^,\s]+)/g)].map(([, name]) => name as string);
  const [, common] = /^CN=(.+)$/m.exec(subject) ?? [];
  return names.length > 0 || common === undefined ? names : [common];
}
