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
  /** of those who may have signed the certificates of clients; empty: clients are not asked for one */
  readonly authorityFiles: readonly string[];
}

/** A certificate for clients that call the server by these names. */
interface Named {
  readonly certFile: string;
  readonly keyFile: string;
  /** empty: those that are in it */
  readonly names: readonly string[];
}

interface Loaded {
  readonly usual: SecureContextOptions;
  readonly named: ReadonlyArray<{ readonly name: string; readonly context: SecureContext }>;
  readonly inUse: readonly CertificateInUse[];
}

/**
 * The certificates that are shown to clients, and the authorities by which theirs are looked at.
 *
 * Invariant: connections are made with what the files say now, as far as they fit together; those that are open stay.
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

  /** For a server, as it begins. */
  get tls(): TlsOptions {
    const asked = this.#options.authorityFiles.length > 0;
    return {
      ...this.#files.value.usual,
      SNICallback: (name, done) => done(null, this.#contextFor(name)),
      // a certificate is asked for and looked at, but who shows none may still have a token
      ...(asked && { requestCert: true, rejectUnauthorized: false }),
    };
  }

  inUse(): readonly CertificateInUse[] {
    return this.#files.value.inUse;
  }

  /** Tells a server of files that have changed. */
  keep(server: Pick<Server, 'setSecureContext'>): void {
    this.#files.onChange(({ usual }) => server.setSecureContext(usual));
  }

  close(): void {
    this.#files.close();
  }

  #load(): Loaded {
    const { tlsCertFile, tlsPrivateKeyFile, authorityFiles } = this.#options;
    const ca = authorityFiles.map((file) => readFileSync(file));
    const shared = { ...this.#protocol, ...(ca.length > 0 && trusting(ca)) };
    const usualPair = readKeyPair(tlsCertFile, tlsPrivateKeyFile);
    const usual = { ...shared, ...usualPair };
    // what cannot be used is found out here, and not by the first client
    createSecureContext(usual);
    const inUse = [{ file: tlsCertFile, pem: usualPair.cert }];
    const named = this.#named.flatMap(({ certFile, keyFile, names }) => {
      const pair = readKeyPair(certFile, keyFile);
      inUse.push({ file: certFile, pem: pair.cert });
      const context = createSecureContext({ ...shared, ...pair });
      return (names.length > 0 ? names : namesIn(pair)).map((name) => ({ name: name.toLowerCase(), context }));
    });
    return { usual, named, inUse };
  }

  /** Who says a name that is written out is meant before who says it with a star. */
  #contextFor(name: string): SecureContext | undefined {
    const { named } = this.#files.value;
    const called = name.toLowerCase();
    const starred = called.replace(/^[^.]+/, '*');
    return (named.find((one) => one.name === called) ?? named.find((one) => one.name === starred))?.context;
  }
}

/** `CERT,KEY` or `CERT,KEY:NAME,NAME`, as kube-apiserver takes them. Several are kept apart by semicolons here. */
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
