import { mintAuthority, mintLeaf } from '@tidegate/local';

export interface ServerPair {
  /** of the authority, as PEM */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const HOUR_MS = 3_600_000;

/** A certificate for a server of these names, by an authority of its own. */
export async function serverPair(names: readonly string[]): Promise<ServerPair> {
  const authority = await mintAuthority('test-authority', HOUR_MS, Date.now());
  const leaf = { commonName: names[0] ?? '', names, usages: ['server'] as const, validMs: HOUR_MS };
  return { ca: authority.cert, ...(await mintLeaf(authority, leaf, Date.now())) };
}
