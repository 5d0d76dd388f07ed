import type { Options, OptionTable } from '@tidegate/options';

/** The bench's options: flags, environment and help come from this table. */
export const benchOptions = {
  'data-dir': {
    type: 'string',
    default: '.tidegate',
    value: 'DIR',
    help: 'the running system to measure; if none runs, a new one is started',
  },
  peer: {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'another Kubernetes-compatible server on this machine, measured alternately',
  },
  'peer-token': { type: 'string', default: '', help: 'a bearer token of its administrator' },
  'peer-procs': {
    type: 'list',
    value: 'NAME=PID,...',
    help: 'its processes, for their CPU time; PID+ includes descendants',
  },
  only: {
    type: 'string',
    default: '',
    value: 'REGEX',
    help: 'run only scenarios whose names match; creations always run',
  },
  scale: { type: 'number', default: 1, help: 'factor for the number of operations; 0.01 is a smoke test' },
  custom: { type: 'boolean', default: false, help: 'run each scenario also with a custom resource' },
  account: {
    type: 'boolean',
    default: false,
    help: 'measure instead where the CPU time of eight operations goes, and print the page bench/account.md',
  },
  json: { type: 'string', default: '', value: 'FILE', help: 'write the results to this file' },
  compare: {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'print the change of each scenario since this earlier --json file',
  },
} as const satisfies OptionTable;

export type BenchOptions = Options<typeof benchOptions>;
