/** TLS options of a client that trusts a configured bundle of certificates. */
export interface Trust<Bundle> {
  readonly ca: Bundle;
  readonly allowPartialTrustChain: true;
}

/**
 * Trusts every certificate of a bundle as the end of a chain, as Go does. The bundle may hold the server's certificate
 * or an intermediate authority, without the root.
 */
export function trusting<Bundle extends string | Buffer | Buffer[]>(ca: Bundle): Trust<Bundle> {
  return { ca, allowPartialTrustChain: true };
}
