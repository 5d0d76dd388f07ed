import { testAuthority } from './test-authority.ts';

export interface ServerPair {
  /** of the authority, as PEM */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A certificate for a server of these names, by an authority of its own. */
export async function serverPair(names: readonly string[]): Promise<ServerPair> {
  const { ca, leaf } = await testAuthority();
  return { ca, ...(await leaf({ commonName: names[0] ?? '', names })) };
}
