import type { CheckMessage, ChecksResponse } from '@tidegate/wire';
import type { Thresholds } from '../probes/debounced-result.ts';
import { Replica } from '../probes/replica.ts';
import type { TargetState } from '../probes/target.ts';

export const THRESHOLDS: Thresholds = { failures: 2, passes: 2 };
export const LOAD = {
  requestsPerSecond: 12.34,
  loopDelayMs: 3.2,
  residentBytes: 100 << 20,
  watchers: 4,
  hasLag: true,
  lagMs: 7.5,
  uptimeSeconds: 90,
};

type Reported = Partial<Omit<ChecksResponse, 'checks'>> & { checks?: Readonly<Record<string, Partial<CheckMessage>>> };

/** An answer of a part, in which ping and postgres pass by default. */
export function answer({ checks = {}, ...rest }: Reported = {}): ChecksResponse {
  const all = { ping: { onLivez: true, live: true }, postgres: {}, ...checks };
  return {
    part: 'store',
    instance: 'store-1',
    stopping: false,
    revision: 5,
    load: LOAD,
    checks: Object.entries(all).map(([name, given]) => ({
      ...{ name, ok: true, message: '', required: true, onLivez: false, live: false },
      ...given,
    })),
    ...rest,
  };
}

export function answered(reported: ChecksResponse = answer()): TargetState {
  return { address: 'there:1', answered: true, answer: reported, why: '' };
}

export function silent(why = 'no answer'): TargetState {
  return { address: 'there:1', answered: false, answer: undefined, why };
}

/** A replica with these answers as its accepted state. */
export function replica(reported: Reported = {}, address = `${reported.instance ?? 'store-1'}:1`): Replica {
  const made = new Replica(address, THRESHOLDS);
  made.observe({ ...answered(answer(reported)), address }, 0);
  return made;
}
