import type { Options, OptionTable } from '@tidegate/options';

export const promiseOptions = {
  only: { type: 'string', default: '', value: 'REGEX', help: 'measure only promises whose names match' },
  times: { type: 'number', default: 0, help: 'how often each promise is measured; 0: as often as each says' },
  json: { type: 'string', default: '', value: 'FILE', help: 'write all measured times to this file' },
} as const satisfies OptionTable;

export type PromiseOptions = Options<typeof promiseOptions>;
