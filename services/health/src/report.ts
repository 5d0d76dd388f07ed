import type { TargetState } from './probes/target.ts';

interface ReportedCheck {
  name: string;
  ok: boolean;
  required: boolean;
  message: string;
}

interface ReportedPart {
  part: string;
  instance: string;
  address: string;
  state: 'ok' | 'degraded' | 'failing' | 'stopping' | 'unreachable';
  since: string;
  revision: number;
  checks: ReportedCheck[];
}

export interface Report {
  state: 'ok' | 'degraded' | 'failing';
  at: string;
  parts: ReportedPart[];
}

/** The health of the whole, from what its parts said of themselves. */
export function reportOf(states: readonly TargetState[], now = new Date()): Report {
  const parts = states.map(reportPart);
  const failing = parts.some((part) => part.state === 'failing' || part.state === 'unreachable');
  const degraded = parts.some((part) => part.state !== 'ok');
  return { state: failing ? 'failing' : degraded ? 'degraded' : 'ok', at: now.toISOString(), parts };
}

function reportPart({ address, reachable, answer, changedAt }: TargetState): ReportedPart {
  const checks = (answer?.checks ?? []).map(({ name, ok, required, message }) => ({ name, ok, required, message }));
  const state = !reachable
    ? 'unreachable'
    : answer?.stopping
      ? 'stopping'
      : checks.some((check) => !check.ok && check.required)
        ? 'failing'
        : checks.some((check) => !check.ok)
          ? 'degraded'
          : 'ok';
  return {
    part: answer?.part ?? 'unknown',
    instance: answer?.instance ?? '',
    address,
    state,
    since: changedAt.toISOString(),
    revision: answer?.revision ?? 0,
    checks,
  };
}
