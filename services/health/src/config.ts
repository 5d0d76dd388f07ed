import { kitOptions, OptionError, type Options, type OptionTable } from '@tidegate/service-kit';

/** The health service's options. Flags, environment variables and help texts are derived from this table only. */
export const options = {
  ...kitOptions,
  'http-address': {
    type: 'string',
    default: '127.0.0.1:6480',
    value: 'HOST:PORT',
    help: 'the board, its JSON and the aggregate probes',
  },
  'board-hosts': {
    type: 'list',
    value: 'NAME,...',
    help: "host names under which browsers reach the board, besides localhost and this machine's own names and addresses",
  },
  targets: {
    type: 'list',
    required: true,
    value: 'HOST:PORT,...',
    help: 'gRPC addresses of all parts to probe; dns:///NAME:PORT for all addresses of a name',
  },
  'probe-period-seconds': { type: 'number', default: 1, help: 'interval of probing all parts' },
  'probe-timeout-seconds': { type: 'number', default: 1, help: 'timeout of a probe' },
  'probe-failure-threshold': {
    type: 'number',
    default: 2,
    help: 'number of consecutive failures after which a check counts as failed, or a part as unreachable',
  },
  'probe-success-threshold': {
    type: 'number',
    default: 2,
    help: 'number of consecutive successes after which a failed check counts as passed',
  },
  'history-minutes': {
    type: 'number',
    default: 1440,
    help: 'length of the history of checks, which is kept in memory',
  },
} as const satisfies OptionTable;

export type HealthConfig = Options<typeof options>;

interface Range {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

const WHOLE = { min: 1, max: 100, isWhole: true };
const RANGES: Readonly<Record<string, Range>> = {
  'probe-period-seconds': { min: 0.1, max: 3600, isWhole: false },
  'probe-timeout-seconds': { min: 0.1, max: 60, isWhole: false },
  'probe-failure-threshold': WHOLE,
  'probe-success-threshold': WHOLE,
  'history-minutes': { min: 60, max: 10_080, isWhole: true },
};

/** Rejects numbers out of range; the error names the option. */
export function checkNumbers(config: HealthConfig): void {
  const given: Readonly<Record<keyof typeof RANGES, number>> = {
    'probe-period-seconds': config.probePeriodSeconds,
    'probe-timeout-seconds': config.probeTimeoutSeconds,
    'probe-failure-threshold': config.probeFailureThreshold,
    'probe-success-threshold': config.probeSuccessThreshold,
    'history-minutes': config.historyMinutes,
  };
  for (const [name, { min, max, isWhole }] of Object.entries(RANGES)) {
    const value = given[name] as number;
    if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) continue;
    throw new OptionError(
      `--${name} must be a ${isWhole ? 'whole number' : 'number'} from ${min} to ${max}, not ${value}`,
    );
  }
}
