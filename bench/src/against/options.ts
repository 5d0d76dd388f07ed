import type { OptionTable } from '@tidegate/options';

/** The options of the guard: flags, environment and help come from this table. */
export const againstOptions = {
  seconds: { type: 'number', default: 360, help: 'how long to measure, without the starts and the warm-up' },
  only: { type: 'string', default: '', value: 'REGEX', help: 'only operations whose names match' },
  short: {
    type: 'boolean',
    default: false,
    help: 'in less than a minute, the operations whose costs vary least, against the commit of bench/guard-base',
  },
} as const satisfies OptionTable;
