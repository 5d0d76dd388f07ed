import { encodeMessage, inEnvelope, type Schema } from '@tidegate/schema';
import type { Encoding, ObjectSchema } from '../../request/answer-form.ts';

const WATCH_EVENT: ObjectSchema = {
  type: 'object',
  fields: {
    type: { type: 'string', number: 1 },
    object: { type: 'object', number: 2, fields: { raw: { type: 'bytes', number: 1 } as Schema } },
  },
};

/**
 * The four bytes `k8s\0`, and then the message Unknown around the object's own. What has no Protobuf (a Table) travels in
 * the same message as JSON. The events of a watch are messages behind their length in four bytes.
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
  event: (type, object) => {
    const event = encodeMessage(WATCH_EVENT, { type, object: { raw: object.toString('base64') } });
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  },
};
