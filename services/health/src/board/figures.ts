import type { ReportedReplica } from '../report.ts';

const NOTHING = '–';

/** The figures of one replica, as text. */
export function figures(
  { load, revision, address }: ReportedReplica,
  newest: number,
): Array<readonly [string, string]> {
  const behind = newest - revision;
  const rows: Array<readonly [string, string]> = [
    ['Revision', behind > 0 ? `${revision} (${behind} behind)` : `${revision}`],
  ];
  if (load !== null) {
    rows.push(
      ['Requests/s', rate(load.requestsPerSecond)],
      ['Loop delay', milliseconds(load.loopDelayMs)],
      ['Memory', `${Math.round(load.residentBytes / 2 ** 20)} MiB`],
      ['Watchers', `${load.watchers}`],
      ['Lag', load.hasLag ? milliseconds(load.lagMs) : 'no changes'],
      ['Up', span(load.uptimeSeconds * 1000)],
    );
  }
  rows.push(['Address', address]);
  return rows;
}

/** The figures of several replicas: rates are added, of the others the worst value is taken. */
export function combinedFigures(replicas: readonly ReportedReplica[]) {
  const loads = replicas.flatMap(({ load }) => (load === null ? [] : [load]));
  const lags = loads.filter(({ hasLag }) => hasLag).map(({ lagMs }) => lagMs);
  const reachable = replicas.filter(({ state }) => state !== 'unreachable');
  return {
    revision: reachable.length === 0 ? NOTHING : `${Math.min(...reachable.map(({ revision }) => revision))}`,
    requests: loads.length === 0 ? NOTHING : rate(loads.reduce((sum, load) => sum + load.requestsPerSecond, 0)),
    lag: lags.length === 0 ? NOTHING : milliseconds(Math.max(...lags)),
    watchers: loads.length === 0 ? NOTHING : `${loads.reduce((sum, load) => sum + load.watchers, 0)}`,
  };
}

function rate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : `${Math.round(perSecond)}`;
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** A time in the largest unit that fits. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
