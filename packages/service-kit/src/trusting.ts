/** TLS options of a client that trusts what a user has named. */
export interface Trust<Bundle> {
  readonly ca: Bundle;
  readonly allowPartialTrustChain: true;
}

/**
 * Trust in the certificates of a bundle, as Go's programs have it: any of them ends a chain. So a bundle may hold the
 * server's own certificate, or an authority below a root, and need not hold the root.
 */
export function trusting<Bundle extends string | Buffer | Buffer[]>(ca: Bundle): Trust<Bundle> {
  return { ca, allowPartialTrustChain: true };
}
