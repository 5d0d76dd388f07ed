import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { OptionError } from '@tidegate/options';

/** The certificates of certificate authorities. */
export type Authorities = readonly X509Certificate[];

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Reads the authorities from the file that an option names. */
export function readAuthorities(option: string, file: string): Authorities {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionError(`--${option}: cannot read ${file} (${(error as Error).message})`);
  }
  const blocks = text.match(PEM) ?? [];
  if (blocks.length === 0) throw new OptionError(`--${option}: ${file} contains no certificate`);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new OptionError(`--${option}: ${file} contains an invalid certificate: ${(error as Error).message}`);
  }
}

/** The client certificate of a connection and the chain that came with it; empty without a certificate. */
export function shownChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // a root certificate is its own issuer
  for (const seen = new Set(); next?.raw !== undefined && !seen.has(next); next = next.issuerCertificate) {
    seen.add(next);
    chain.push(new X509Certificate(next.raw));
  }
  return chain;
}

/**
 * Whether a chain leads to one of these authorities. The TLS library has already verified the chain (validity,
 * purposes, lengths), but it does not tell which of all trusted authorities it ends in.
 */
export function isSignedBy(authorities: Authorities, chain: readonly X509Certificate[]): boolean {
  for (const [i, one] of chain.entries()) {
    if (authorities.some((authority) => isIssuer(authority, one) || authority.fingerprint256 === one.fingerprint256))
      return true;
    const next = chain[i + 1];
    if (next === undefined || !next.ca || !isIssuer(next, one)) return false;
  }
  return false;
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
