import type { Options, OptionTable } from '@tidegate/options';

/** The options of the measurements of scale. */
export const scaleOptions = {
  only: { type: 'string', default: '', value: 'REGEX', help: 'run only the measurements whose names match' },
  objects: {
    type: 'list',
    default: ['10000', '100000', '1000000'],
    value: 'N,...',
    help: 'the sizes of a collection; the costs at each are compared with those at the first',
  },
  scale: { type: 'number', default: 1, help: 'factor for the number of operations; 0.01 is a smoke test' },
  watches: { type: 'number', default: 10_000, help: 'the number of open watches' },
  connections: { type: 'number', default: 100, help: 'the connections that the watches share' },
  leases: { type: 'number', default: 130_000, help: 'the number of leases in the store' },
  renewals: { type: 'number', default: 13_000, help: 'how many of them are renewed in a second' },
  seconds: { type: 'number', default: 60, help: 'the duration of the renewals' },
} as const satisfies OptionTable;

export type ScaleOptions = Options<typeof scaleOptions>;
