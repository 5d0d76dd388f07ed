import { type Json, printYaml } from '@tidegate/schema';
import type { Encoding } from '../../request/answer-form.ts';

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

/** Every line but the first moved to the right. */
export function indented(text: Buffer, by: string): Buffer {
  return Buffer.from(text.toString('utf8').replace(LINE_END, `\n${by}`));
}
