import { randomBytes } from 'node:crypto';

const KEYS = ['a', 'b', 'c', 'd'];

/** The kind of the objects: a built-in kind, or a custom kind with the same fields. */
export type Subject = 'ConfigMap' | 'Record';

const GROUP = 'bench.example.com';

/** The path of the collection in a namespace. */
export function collectionOf(subject: Subject, namespace: string): string {
  if (subject === 'ConfigMap') return `/api/v1/namespaces/${namespace}/configmaps`;
  return `/apis/${GROUP}/v1/namespaces/${namespace}/records`;
}

/** The definition of the custom kind, with a typical validation rule. */
export const recordDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `records.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'records', singular: 'record', kind: 'Record', listKind: 'RecordList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              data: {
                type: 'object',
                maxProperties: 16,
                additionalProperties: { type: 'string', maxLength: 1024 },
                'x-kubernetes-validations': [{ rule: "has(self.a) && self.a != ''", message: 'a is required' }],
              },
            },
          },
        },
      },
    ],
  },
};

/** The name of the i-th object. */
export function objectName(i: number): string {
  return `cm-${String(i).padStart(7, '0')}`;
}

/** 1 KiB of random text in four keys, different for each object and each call, so that nothing compresses or repeats. */
export function randomObject(subject: Subject, namespace: string, i: number, extra = ''): Buffer {
  const text = randomBytes(768).toString('base64url');
  const data = KEYS.map((key, k) => `"${key}":"${text.slice(k * 256, (k + 1) * 256)}"`).join(',');
  const type = `"apiVersion":"${subject === 'ConfigMap' ? 'v1' : `${GROUP}/v1`}","kind":"${subject}"`;
  return Buffer.from(
    `{${type},"metadata":{"name":"${objectName(i)}","namespace":"${namespace}","labels":{"app":"bench"}},"data":{${data}${extra}}}`,
  );
}

export function randomPatch(): Buffer {
  return Buffer.from(`{"data":{"a":"${randomBytes(192).toString('base64url')}"}}`);
}
