import { readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import type { CertificateInUse } from './certificate-times.ts';
import { type KeyPair, readKeyPair } from './key-pair.ts';
import type { KitConfig } from './kit-options.ts';
import type { Logger } from './logger.ts';
import { WatchedFiles } from './watched-files.ts';

type PeerFiles = Pick<KitConfig, 'peerCertFile' | 'peerKeyFile' | 'peerCaFile'>;
type Log = Pick<Logger, 'info' | 'warn'>;
const SILENT: Log = { info() {}, warn() {} };

type Provider = InstanceType<typeof experimental.FileWatcherCertificateProvider>;
type CertificateProvider = Pick<
  Provider,
  | 'addCaCertificateListener'
  | 'removeCaCertificateListener'
  | 'addIdentityCertificateListener'
  | 'removeIdentityCertificateListener'
>;

/** The credentials by which parts authenticate each other. */
export interface PeerCredentials {
  readonly server: ServerCredentials;
  /** for calls to the part of this name only; without a name for calls to any part */
  client(part?: string): ChannelCredentials;
  inUse(): readonly CertificateInUse[];
}

/**
 * Parts authenticate each other with certificates of a common authority; the common name is the name of the part. New
 * connections use the current content of the files.
 */
export function peerCredentials(files: PeerFiles, log: Log = SILENT): PeerCredentials {
  const watched = watch(files, log);
  const provider = providerOf(watched);
  const clients = new Map<string, ChannelCredentials>();
  return {
    server: experimental.createCertificateProviderServerCredentials(provider, provider, true),
    client(part = ''): ChannelCredentials {
      const known = clients.get(part);
      if (known !== undefined) return known;
      const isPart = (host: string, certificate: PeerCertificate) =>
        checkServerIdentity(host, certificate) ?? wrongPart(part, certificate);
      const made = experimental.createCertificateProviderChannelCredentials(provider, provider, {
        checkServerIdentity: isPart,
      });
      clients.set(part, made);
      return made;
    },
    inUse: () => [
      { file: files.peerCertFile, pem: watched.value.cert },
      { file: files.peerCaFile, pem: watched.value.ca },
    ],
  };
}

/** The name of the part in a certificate. */
export function partIn({ subject }: PeerCertificate): string {
  const name: string | string[] | undefined = subject?.CN;
  return typeof name === 'string' ? name : '';
}

function wrongPart(part: string, certificate: PeerCertificate): Error | undefined {
  const found = partIn(certificate);
  return part === '' || found === part
    ? undefined
    : new Error(`the certificate is of ${JSON.stringify(found)}, not of ${part}`);
}

interface PeerPair extends KeyPair {
  readonly ca: Buffer;
}

function watch({ peerCertFile, peerKeyFile, peerCaFile }: PeerFiles, log: Log): WatchedFiles<PeerPair> {
  return new WatchedFiles<PeerPair>({
    files: [peerCertFile, peerKeyFile, peerCaFile],
    read: () => ({ ...readKeyPair(peerCertFile, peerKeyFile), ca: readFileSync(peerCaFile) }),
    log,
  });
}

function providerOf(watched: WatchedFiles<PeerPair>): CertificateProvider {
  const listeners = new Map<unknown, (pair: PeerPair) => void>();
  const add = (listener: unknown, notify: (pair: PeerPair) => void) => {
    listeners.set(listener, notify);
    watched.onChange(notify);
    // the listener is not ready yet
    queueMicrotask(() => {
      if (listeners.get(listener) === notify) notify(watched.value);
    });
  };
  const remove = (listener: unknown) => {
    const notify = listeners.get(listener);
    if (notify !== undefined) watched.removeListener(notify);
    listeners.delete(listener);
  };
  return {
    addCaCertificateListener: (listener) => add(listener, ({ ca }) => listener({ caCertificate: ca })),
    removeCaCertificateListener: remove,
    addIdentityCertificateListener: (listener) =>
      add(listener, ({ cert, key }) => listener({ certificate: cert, privateKey: key })),
    removeIdentityCertificateListener: remove,
  };
}
