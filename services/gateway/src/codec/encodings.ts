import {
  CBOR_PREFIX,
  cborDocument,
  encodeCbor,
  encodeMessage,
  inEnvelope,
  type Json,
  printYaml,
  watchEvent,
} from '@tidegate/schema';
import type { Encoding } from '../request/answer-form.ts';

const END = Buffer.from('}\n');
const heads = new Map<string, Buffer>();

function headOf(type: string): Buffer {
  let head = heads.get(type);
  if (head === undefined) {
    head = Buffer.from(`{"type":"${type}","object":`);
    heads.set(type, head);
  }
  return head;
}

export const json: Encoding = {
  name: 'json',
  mediaTypes: ['application/json'],
  streamType: (mediaType) => mediaType,
  document: ({ value }, pretty) =>
    Buffer.from(pretty ? `${JSON.stringify(value, null, 2)}\n` : `${JSON.stringify(value)}\n`),
  event: (type, object) => Buffer.concat([headOf(type), object, END]),
};

/** The documents of a watch are separated by lines of `---`. */
export const yaml: Encoding = {
  name: 'yaml',
  mediaTypes: ['application/yaml'],
  streamType: (mediaType) => mediaType,
  document: ({ value }) => Buffer.from(printYaml(value as Json)),
  event: (type, object) =>
    Buffer.concat([Buffer.from(`type: ${type}\nobject:\n  `), indented(object, '  '), Buffer.from('---\n')]),
};

const LINE_END = /\n(?=.)/g;

/** Indents every line but the first. */
export function indented(text: Buffer, by: string): Buffer {
  return Buffer.from(text.toString('utf8').replace(LINE_END, `\n${by}`));
}

/** A CBOR map with two entries, `type` and `object`; the object is a complete CBOR document. */
const EVENT = Buffer.concat([Buffer.from([0xa2]), encodeCbor('type')]);
const OBJECT = encodeCbor('object');

/** The events of a watch follow each other without a separator; each is a document. */
export const cbor: Encoding = {
  name: 'cbor',
  mediaTypes: ['application/cbor'],
  streamType: () => 'application/cbor-seq',
  document: ({ value, schema }) => cborDocument(value, schema),
  event: (type, object) => Buffer.concat([CBOR_PREFIX, EVENT, encodeCbor(type), OBJECT, object]),
};

/**
 * The four bytes `k8s\0`, then the message Unknown around the object's own message. A Table has no Protobuf form: it is
 * sent as JSON in the same message. Each event of a watch is preceded by its length in four bytes.
 */
export const protobuf: Encoding = {
  name: 'protobuf',
  mediaTypes: ['application/vnd.cluster.protobuf', 'application/vnd.kubernetes.protobuf'],
  streamType: (mediaType) => `${mediaType};stream=watch`,
  document: ({ value, schema }) => {
    const type = { apiVersion: String(value.apiVersion ?? ''), kind: String(value.kind) };
    if (schema !== undefined) return inEnvelope(type, encodeMessage(schema, value));
    return inEnvelope({ ...type, contentType: 'application/json' }, Buffer.from(JSON.stringify(value)));
  },
  event: watchEvent,
};
