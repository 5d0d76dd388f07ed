import { randomBytes } from 'node:crypto';

const KEYS = ['a', 'b', 'c', 'd'];

/** The name of the i-th object. */
export function objectName(i: number): string {
  return `cm-${String(i).padStart(7, '0')}`;
}

/** 1 KiB of random text in four keys, different for each object and each time: nothing compresses, nothing repeats. */
export function randomObject(namespace: string, i: number, extra = ''): Buffer {
  const text = randomBytes(768).toString('base64url');
  const data = KEYS.map((key, k) => `"${key}":"${text.slice(k * 256, (k + 1) * 256)}"`).join(',');
  return Buffer.from(
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${objectName(i)}","namespace":"${namespace}","labels":{"app":"bench"}},"data":{${data}${extra}}}`,
  );
}

export function randomPatch(): Buffer {
  return Buffer.from(`{"data":{"a":"${randomBytes(192).toString('base64url')}"}}`);
}
