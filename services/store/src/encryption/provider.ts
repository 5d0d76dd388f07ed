/**
 * One key of one kind. Sealed bytes begin with the provider's prefix (`k8s:enc:aesgcm:v1:key1:`), by which they are
 * found again. Promise: open gives what seal was given, or throws; bytes that were altered are never opened.
 */
export interface Provider {
  readonly prefix: string;
  seal(plain: Buffer): Buffer;
  open(sealed: Buffer): Buffer;
}

export function prefixOf(kind: string, keyName: string): string {
  return `k8s:enc:${kind}:v1:${keyName}:`;
}
