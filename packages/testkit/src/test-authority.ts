import { mintAuthority, mintLeaf } from '@tidegate/local';

const HOUR_MS = 3_600_000;

interface TestLeaf {
  readonly commonName: string;
  readonly organization?: string;
  /** the names of a server; without them it is a client certificate */
  readonly names?: readonly string[];
}

/** Signs the certificates of a test. */
export interface TestAuthority {
  /** the PEM of the authority */
  readonly ca: string;
  leaf(leaf: TestLeaf): Promise<{ cert: string; key: string }>;
}

export async function testAuthority(name = 'test-authority'): Promise<TestAuthority> {
  const authority = await mintAuthority(name, HOUR_MS, Date.now());
  return {
    ca: authority.cert,
    leaf: (leaf) => {
      const usages = leaf.names === undefined ? (['client'] as const) : (['server'] as const);
      return mintLeaf(authority, { ...leaf, usages, validMs: HOUR_MS }, Date.now());
    },
  };
}
