import type { Encoding } from '../../request/answer-form.ts';

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
