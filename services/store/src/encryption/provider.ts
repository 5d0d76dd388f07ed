/**
 * One encryption key with its algorithm. Sealed bytes begin with the provider's prefix (`k8s:enc:aesgcm:v1:key1:`), which
 * selects the provider that opens them. Promise: `open` returns what was sealed, or throws; it never opens altered bytes.
 */
export interface Provider {
  readonly prefix: string;
  seal(plain: Buffer): Buffer;
  open(sealed: Buffer): Buffer;
}

export function prefixOf(kind: string, keyName: string): string {
  return `k8s:enc:${kind}:v1:${keyName}:`;
}
