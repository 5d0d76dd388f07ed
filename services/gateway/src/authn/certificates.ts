import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { OptionError } from '@tidegate/options';

/** Certificates that sign those of others. */
export type Authorities = readonly X509Certificate[];

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The authorities of a file, which an option names. */
export function readAuthorities(option: string, file: string): Authorities {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionError(`--${option}: cannot read ${file} (${(error as Error).message})`);
  }
  const blocks = text.match(PEM) ?? [];
  if (blocks.length === 0) throw new OptionError(`--${option}: there is no certificate in ${file}`);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new OptionError(`--${option}: ${file} holds what is no certificate: ${(error as Error).message}`);
  }
}

/** The certificate that the other end has shown, and those that it came with; empty: none. */
export function shownChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // an authority is its own issuer
  for (const seen = new Set(); next?.raw !== undefined && !seen.has(next); next = next.issuerCertificate) {
    seen.add(next);
    chain.push(new X509Certificate(next.raw));
  }
  return chain;
}

/**
 * Whether one of these authorities stands behind a certificate. That the chain is sound (times, purposes, lengths) the TLS
 * library has found out; which of all authorities it leads to, it does not tell.
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
