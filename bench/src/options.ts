import type { Options, OptionTable } from '@tidegate/options';

/** The bench's options: flags, environment and help come from this table. */
export const benchOptions = {
  'data-dir': {
    type: 'string',
    default: '.tidegate',
    value: 'DIR',
    help: 'the running system to measure; where none runs, a fresh one is started',
  },
  peer: {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'another Kubernetes-compatible server of this machine, measured in turns',
  },
  'peer-token': { type: 'string', default: '', help: 'a bearer token of its administrator' },
  'peer-procs': {
    type: 'list',
    value: 'NAME=PID,...',
    help: 'its processes, for their CPU time; PID+ counts descendants, too',
  },
  only: { type: 'string', default: '', value: 'REGEX', help: 'scenarios by name; creations always run' },
  scale: { type: 'number', default: 1, help: 'fewer operations: 0.01 is a smoke test' },
  custom: { type: 'boolean', default: false, help: 'each scenario also with objects of a kind that is defined for it' },
  json: { type: 'string', default: '', value: 'FILE', help: 'where to write every record' },
  compare: {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'an earlier --json file: print the change of each scenario',
  },
} as const satisfies OptionTable;

export type BenchOptions = Options<typeof benchOptions>;
