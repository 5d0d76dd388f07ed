import type { Key } from '@tidegate/wire';

/** Compares keys as PostgreSQL does under collation "C": by the bytes of their UTF-8. */
export function compareKeys(a: Key, b: Key): number {
  return compareText(a.resource, b.resource) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference === 0) continue;
    // UTF-16 orders surrogates below the last characters of the basic plane, UTF-8 above them
    if (a.charCodeAt(i) >= 0xd800 && b.charCodeAt(i) >= 0xd800) return Buffer.compare(Buffer.from(a), Buffer.from(b));
    return difference;
  }
  return a.length - b.length;
}
