// tsyringe, a dependency of x509, needs this import before its own
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** certificates begin earlier, because the clocks of clients may be slow */
const BACKDATED_MS = 5 * 60_000;

/** A certificate and its key, as PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Leaf {
  readonly commonName: string;
  readonly organization?: string;
  /** the DNS names and IP addresses of the certificate */
  readonly names?: readonly string[];
  readonly usages: ReadonlyArray<'server' | 'client'>;
  readonly validMs: number;
}

/**
 * Creates an authority. Its name must differ from that of its leaves: a leaf with its issuer's name counts as
 * self-signed.
 */
export async function mintAuthority(commonName: string, validMs: number, now: number): Promise<Pair> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + validMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pairOf(certificate, keys.privateKey);
}

/** Creates a leaf, which expires at the latest with its authority. */
export async function mintLeaf(authority: Pair, leaf: Leaf, now: number): Promise<Pair> {
  const issuer = new X509Certificate(authority.cert);
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    issuer: issuer.subject,
    subject: [...(leaf.organization === undefined ? [] : [{ O: [leaf.organization] }]), { CN: [leaf.commonName] }],
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(Math.min(now + leaf.validMs, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    extensions: [
      ...leafExtensions(leaf),
      // strict clients find the authority by this extension, and reject a leaf without it
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pairOf(certificate, keys.privateKey);
}

function leafExtensions(leaf: Leaf): Extension[] {
  const usages = leaf.usages.map((usage) => ExtendedKeyUsage[`${usage}Auth`]);
  const names = (leaf.names ?? []).map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const);
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension(usages),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
  ];
}

async function pairOf(certificate: X509Certificate, privateKey: CryptoKey): Promise<Pair> {
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
  return { cert: `${certificate.toString('pem')}\n`, key: `${key}\n` };
}

function importKey(pem: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), algorithm, false, ['sign']);
}

/** A positive number of 16 bytes: the first bit is 0, and the first byte is not 0. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
