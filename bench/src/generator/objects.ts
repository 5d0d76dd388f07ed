import { randomBytes } from 'node:crypto';

const KEYS = ['a', 'b', 'c', 'd'];

/** What the objects are: of a kind that every server has, or of one that the bench defines, with the same fields. */
export type Subject = 'ConfigMap' | 'Record';

const GROUP = 'bench.example.com';

/** Where the objects of a namespace are. */
export function collectionOf(subject: Subject, namespace: string): string {
  if (subject === 'ConfigMap') return `/api/v1/namespaces/${namespace}/configmaps`;
  return `/apis/${GROUP}/v1/namespaces/${namespace}/records`;
}

/** With a rule of the kind that people write. */
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
                'x-kubernetes-validations': [{ rule: "has(self.a) && self.a != ''", message: 'a must be there' }],
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

/** 1 KiB of random text in four keys, different for each object and each time: nothing compresses, nothing repeats. */
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
