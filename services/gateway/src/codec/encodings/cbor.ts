import { CBOR_PREFIX, cborDocument, encodeCbor } from '@tidegate/schema';
import type { Encoding } from '../../request/answer-form.ts';

/** A map of two, `object` and `type`, in which the object is a whole document of its own. */
const EVENT = Buffer.concat([Buffer.from([0xa2]), encodeCbor('type')]);
const OBJECT = encodeCbor('object');

/** The events of a watch stand one behind the other, each a document. */
export const cbor: Encoding = {
  name: 'cbor',
  mediaTypes: ['application/cbor'],
  streamType: () => 'application/cbor-seq',
  document: ({ value, schema }) => cborDocument(value, schema),
  event: (type, object) => Buffer.concat([CBOR_PREFIX, EVENT, encodeCbor(type), OBJECT, object]),
};
