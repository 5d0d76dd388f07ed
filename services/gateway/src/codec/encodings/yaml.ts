import { isPlainText } from '@tidegate/schema';
import { DUMP_SCHEMA, defineScalarTag, dump, intCoreTag, NOT_RESOLVED } from 'js-yaml';
import type { Encoding } from './encoding.ts';

const [intTag] = DUMP_SCHEMA.tags.filter(({ tagName }) => tagName === intCoreTag.tagName);

/** Numbers that no double holds are numbers like any other. */
const SCHEMA = DUMP_SCHEMA.withTags(
  defineScalarTag<number | bigint>(intCoreTag.tagName, {
    ...(intTag as typeof intCoreTag),
    identify: (value) => typeof value === 'bigint' || intTag?.identify(value) === true,
    represent: String,
  }),
  // nothing is written with it: what it would read is quoted
  defineScalarTag<string>('tag:tidegate,2026:other', {
    implicit: true,
    resolve: (source) => (isPlainText(source) ? NOT_RESOLVED : source),
    identify: () => false,
  }),
);

/** What readers of older YAML would take for something else (yes, 0777, 1:30) is quoted. */
export function yamlOf(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, schema: SCHEMA });
}

/** The documents of a watch are separated by lines of `---`. */
export const yaml: Encoding = {
  name: 'yaml',
  mediaTypes: ['application/yaml'],
  streamType: (mediaType) => mediaType,
  document: ({ value }) => Buffer.from(yamlOf(value)),
  event: (type, object) =>
    Buffer.concat([Buffer.from(`type: ${type}\nobject:\n  `), indented(object, '  '), Buffer.from('---\n')]),
};

const LINE_END = /\n(?=.)/g;

/** Every line but the first moved to the right. */
export function indented(text: Buffer, by: string): Buffer {
  return Buffer.from(text.toString('utf8').replace(LINE_END, `\n${by}`));
}
