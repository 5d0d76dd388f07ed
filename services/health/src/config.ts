import { kitOptions, OptionError, type Options, type OptionTable } from '@tidegate/service-kit';

/** The health service's options: flags, environment and help come from this table, and nothing else reads them. */
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
    help: "host names under which browsers reach the board, beside localhost and this machine's own names and addresses",
  },
  targets: {
    type: 'list',
    required: true,
    value: 'HOST:PORT,...',
    help: 'gRPC addresses of every part to probe; dns:///NAME:PORT for all addresses of the name',
  },
  'probe-period-seconds': { type: 'number', default: 1, help: 'how often every part is probed' },
  'probe-timeout-seconds': { type: 'number', default: 1, help: 'how long an answer may take' },
  'probe-failure-threshold': {
    type: 'number',
    default: 2,
    help: 'a check counts as failed, and a part as unreachable, after so many failures in a row',
  },
  'probe-success-threshold': {
    type: 'number',
    default: 2,
    help: 'a failed check counts as passed after so many successes in a row',
  },
  'history-minutes': { type: 'number', default: 1440, help: 'how far back the board can show each check; in memory' },
} as const satisfies OptionTable;

export type HealthConfig = Options<typeof options>;

interface Range {
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

const WHOLE = { least: 1, most: 100, isWhole: true };
const RANGES: Readonly<Record<string, Range>> = {
  'probe-period-seconds': { least: 0.1, most: 3600, isWhole: false },
  'probe-timeout-seconds': { least: 0.1, most: 60, isWhole: false },
  'probe-failure-threshold': WHOLE,
  'probe-success-threshold': WHOLE,
  'history-minutes': { least: 60, most: 10_080, isWhole: true },
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
  for (const [name, { least, most, isWhole }] of Object.entries(RANGES)) {
    const value = given[name] as number;
    if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) continue;
    throw new OptionError(
      `--${name} must be a ${isWhole ? 'whole number' : 'number'} from ${least} to ${most}, not ${value}`,
    );
  }
}
