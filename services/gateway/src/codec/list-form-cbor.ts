import { CBOR_PREFIX, encodeCbor, type Json, type JsonObject } from '@tidegate/schema';
import type { ResourceRequest } from '../request/resource-request.ts';
import { type ListForm, shapeOf } from './list-shape.ts';

const MAP = 0xa0;
/** an array whose end is told by a byte of its own: how many there are is known last */
const ARRAY = Buffer.from([0x9f]);
const BREAK = Buffer.from([0xff]);

/** A map of the heading, the items and the metadata, item by item. */
export function cborForm(request: ResourceRequest): ListForm {
  const { heading, items, of, schema } = shapeOf(request);
  const fields = Object.entries(heading);
  const field = (name: string, value: Json) => [encodeCbor(name), encodeCbor(value)];
  const metadataOf = (metadata: object | undefined) =>
    metadata === undefined ? [] : field('metadata', metadata as JsonObject);
  return {
    plain: false,
    open: (metadata) =>
      Buffer.concat([
        CBOR_PREFIX,
        Buffer.from([MAP | (fields.length + 2)]),
        ...fields.flatMap(([name, value]) => field(name, value as Json)),
        ...metadataOf(metadata),
        encodeCbor(items),
        ARRAY,
      ]),
    item: (item) => encodeCbor(of(item), schema),
    close: (_empty, metadata) => Buffer.concat([BREAK, ...metadataOf(metadata)]),
  };
}
