import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { writePrivateFile } from '../data/private-file.ts';
import { isErrno, UserError } from '../user-error.ts';
import type { Leaf, Pair } from './mint.ts';

const DAY_MS = 24 * 3600_000;
const AUTHORITY_VALID_MS = 3650 * DAY_MS;
const LEAF_VALID_MS = 365 * DAY_MS;
const RENEW_BEFORE_MS = 30 * DAY_MS;

/** the common name of the certificate with which gateways authenticate to aggregated API servers */
export const FRONT_PROXY = 'front-proxy-client';

/** The files of a certificate and its key. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Certificates {
  /** the authority of the serving and client certificates, which clients trust */
  readonly caFile: string;
  readonly caPem: string;
  /** the accepted authorities of client certificates: this one and those that the user has added */
  readonly clientCaFile: string;
  readonly serving: PairFiles;
  /** the client certificate of the system controllers */
  readonly controllers: PairFiles;
  /** the authority that the parts trust among themselves */
  readonly peerCaFile: string;
  peer(part: string): PairFiles;
  /** the authority of the gateways' certificate for aggregated API servers */
  readonly frontProxyCaFile: string;
  readonly frontProxy: PairFiles;
  /** signs the tokens of service accounts */
  readonly serviceAccountKeyFile: string;
}

interface Wanted {
  readonly dir: string;
  readonly parts: readonly string[];
  readonly bindAddress: string;
  /** a file with further authorities of client certificates; empty: none */
  readonly moreClientAuthorities?: string;
  /** further names of the API server, beside those of this machine and of a cluster */
  readonly servingNames?: readonly string[];
  /** further names of a part, beside this machine's own */
  readonly peerNames?: (part: string) => readonly string[];
  readonly now?: number;
}

/**
 * Creates missing certificates, and renews those that expire within a month. There are three authorities, so that a
 * client's certificate gives no access to the internal ports of parts, and does not allow its bearer to act as a front
 * proxy.
 */
export async function ensureCertificates(wanted: Wanted): Promise<Certificates> {
  const { dir, now = Date.now() } = wanted;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const clients = await ensureAuthority(dir, 'ca', 'tidegate-ca', now);
  const peers = await ensureAuthority(dir, 'peer-ca', 'tidegate-parts-ca', now);
  const frontProxies = await ensureAuthority(dir, 'front-proxy-ca', 'tidegate-front-proxy-ca', now);
  await Promise.all([
    ensureLeaf(frontProxies, 'front-proxy-client', frontProxyLeaf, now),
    ensureLeaf(clients, 'serving', servingLeaf(wanted.bindAddress, wanted.servingNames), now),
    ensureLeaf(clients, 'controllers', controllersLeaf, now),
    ...wanted.parts.map((part) => ensureLeaf(peers, `peer-${part}`, peerLeaf(part, wanted.peerNames?.(part)), now)),
  ]);
  return {
    caFile: clients.certFile,
    caPem: readFileSync(clients.certFile, 'utf8'),
    clientCaFile: clientAuthorities(clients.certFile, wanted.moreClientAuthorities ?? ''),
    serving: filesOf(dir, 'serving'),
    controllers: filesOf(dir, 'controllers'),
    peerCaFile: peers.certFile,
    peer: (part) => filesOf(dir, `peer-${part}`),
    frontProxyCaFile: frontProxies.certFile,
    frontProxy: filesOf(dir, 'front-proxy-client'),
    serviceAccountKeyFile: ensureServiceAccountKey(dir),
  };
}

/** Writes all client authorities into one file, at each start, because services read one file. */
function clientAuthorities(ownFile: string, moreFile: string): string {
  if (moreFile === '') return ownFile;
  const more = certificatesIn(readFileSync(moreFile, 'utf8'));
  if (more.length === 0) throw new UserError(`there is no certificate in ${moreFile}: check --client-ca-file`);
  for (const text of more) requireCertificate(text, moreFile);
  const bundle = join(dirname(ownFile), 'client-ca-bundle.crt');
  const own = certificatesIn(readFileSync(ownFile, 'utf8'));
  writePrivateFile(bundle, [...own, ...more].map((text) => `${text}\n`).join(''));
  return bundle;
}

/** The certificates in a text, without comments or keys between them. */
function certificatesIn(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}

function requireCertificate(text: string, file: string): void {
  try {
    new X509Certificate(text);
  } catch (error) {
    throw new UserError(`a certificate in ${file} cannot be read: check --client-ca-file`, { cause: error });
  }
}

/** Creates the key if it is missing. It is kept, because tokens stay valid after a restart. */
function ensureServiceAccountKey(dir: string): string {
  const file = join(dir, 'service-account.key');
  if (read(file) === undefined) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writePrivateFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  }
  return file;
}

function servingLeaf(bindAddress: string, more: readonly string[] = []): Leaf {
  const cluster = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const names = new Set(['localhost', '127.0.0.1', '::1', ...cluster, hostname(), ...more]);
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') names.add(bindAddress);
  return { commonName: 'tidegate-gateway', names: [...names], usages: ['server'], validMs: LEAF_VALID_MS };
}

const controllersLeaf: Leaf = {
  commonName: 'system:kube-controller-manager',
  organization: 'system:masters',
  usages: ['client'],
  validMs: LEAF_VALID_MS,
};

const frontProxyLeaf: Leaf = { commonName: FRONT_PROXY, usages: ['client'], validMs: LEAF_VALID_MS };

function peerLeaf(part: string, more: readonly string[] = []): Leaf {
  return {
    commonName: part,
    organization: 'tidegate',
    names: ['localhost', '127.0.0.1', ...more],
    usages: ['server', 'client'],
    validMs: LEAF_VALID_MS,
  };
}

interface Authority extends PairFiles {
  readonly dir: string;
  readonly certificate: X509Certificate;
}

async function ensureAuthority(dir: string, name: string, commonName: string, now: number): Promise<Authority> {
  const files = filesOf(dir, name);
  if (read(files.certFile) === undefined) {
    const { mintAuthority } = await import('./mint.ts');
    writePair(files, await mintAuthority(commonName, AUTHORITY_VALID_MS, now));
  }
  const certificate = parse(files.certFile);
  if (certificate.validToDate.getTime() <= now) {
    throw new UserError(
      `the certificate authority ${files.certFile} expired on ${certificate.validToDate.toISOString().slice(0, 10)}: remove the directory ${dir} and start again (kubeconfigs handed out before must be fetched anew)`,
    );
  }
  return { ...files, dir, certificate };
}

async function ensureLeaf(authority: Authority, name: string, leaf: Leaf, now: number): Promise<void> {
  const files = filesOf(authority.dir, name);
  const why = whyRenew(authority, files, leaf, now);
  if (why === undefined) return;
  const key = read(authority.keyFile);
  if (key === undefined) {
    throw new UserError(
      `${files.certFile} ${why}, and cannot be renewed without ${authority.keyFile}: restore that file, or remove the directory ${authority.dir} and start again`,
    );
  }
  const { mintLeaf } = await import('./mint.ts');
  writePair(files, await mintLeaf({ cert: authority.certificate.toString(), key }, leaf, now));
}

/** Why the leaf must be renewed; undefined where it is valid. */
function whyRenew(authority: Authority, files: PairFiles, leaf: Leaf, now: number): string | undefined {
  const keyPem = read(files.keyFile);
  if (read(files.certFile) === undefined || keyPem === undefined) return 'is missing';
  const certificate = parse(files.certFile);
  const { certificate: issuer } = authority;
  const endsAt = certificate.validToDate.getTime();
  if (endsAt <= now) return `expired on ${certificate.validToDate.toISOString().slice(0, 10)}`;
  // renewing a leaf that expires together with its authority has no use
  if (endsAt - now < RENEW_BEFORE_MS && endsAt < issuer.validToDate.getTime()) return 'expires soon';
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return 'is of another authority';
  if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) return 'does not fit its key';
  const lacking = (leaf.names ?? []).find((name) => !coversName(certificate, name));
  return lacking === undefined ? undefined : `does not cover ${lacking}`;
}

function coversName(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

function filesOf(dir: string, name: string): PairFiles {
  return { certFile: join(dir, `${name}.crt`), keyFile: join(dir, `${name}.key`) };
}

/** Writes the key first: a crash in between leaves a pair that does not match, which the next start notices. */
function writePair(files: PairFiles, pair: Pair): void {
  writePrivateFile(files.keyFile, pair.key);
  writePrivateFile(files.certFile, pair.cert);
}

function parse(file: string): X509Certificate {
  try {
    return new X509Certificate(readFileSync(file));
  } catch (error) {
    throw new UserError(`${file} is not a certificate: restore it, or remove it and start again`, { cause: error });
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}
