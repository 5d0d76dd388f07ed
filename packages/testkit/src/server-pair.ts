import { testAuthority } from './test-authority.ts';

export interface ServerPair {
  /** the PEM of the authority */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A server certificate for these names, issued by a new authority. */
export async function serverPair(names: readonly string[]): Promise<ServerPair> {
  const { ca, leaf } = await testAuthority();
  return { ca, ...(await leaf({ commonName: names[0] ?? '', names })) };
}
