import { type Check, type Endpoint, isEndpoint } from './checks.ts';

export interface ProbeQuery {
  readonly verbose: boolean;
  /** names of checks to exclude */
  readonly exclude: readonly string[];
}

export interface ProbeAnswer {
  readonly code: 200 | 500;
  readonly text: string;
}

export interface ProbePath {
  readonly endpoint: Endpoint;
  readonly name: string;
}

/** The endpoint of a path and the name of a check, '' for all checks; undefined if the path is not an endpoint. */
export function probePath(path: string): ProbePath | undefined {
  const [, endpoint = '', name = ''] = /^\/([a-z]+)(?:\/(.+))?$/.exec(path) ?? [];
  return isEndpoint(endpoint) ? { endpoint, name } : undefined;
}

/** The response to a probe; undefined if the check does not exist. */
export function probeAnswer(checks: readonly Check[], name: string, query: ProbeQuery): ProbeAnswer | undefined {
  return name === '' ? allChecks(checks, query) : oneCheck(checks, name);
}

/**
 * All checks of an endpoint in kube-apiserver's format. A failing response is always verbose. Reasons are not public,
 * so only the path of a single check shows them.
 */
function allChecks(checks: readonly Check[], { verbose, exclude }: ProbeQuery): ProbeAnswer {
  const excluded = new Set(exclude);
  const unknown = new Set(exclude);
  const lines: string[] = [];
  let failed = false;
  for (const { name, required, failing, group = '' } of checks) {
    if (excluded.has(name)) {
      unknown.delete(name);
      lines.push(`[+]${name} excluded: ok`);
    } else if (excluded.has(group)) {
      unknown.delete(group);
      lines.push(`[+]${name} excluded with ${group}: ok`);
    } else if (failing() === undefined) lines.push(`[+]${name} ok`);
    else {
      failed ||= required;
      lines.push(`[-]${name} failed: reason withheld`);
    }
  }
  if (unknown.size > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${quoted(unknown)}`);
  lines.push(`healthz check ${failed ? 'failed' : 'passed'}`, '');
  if (failed) return { code: 500, text: lines.join('\n') };
  return { code: 200, text: verbose ? lines.join('\n') : 'ok' };
}

function oneCheck(checks: readonly Check[], name: string): ProbeAnswer | undefined {
  const check = checks.find((candidate) => candidate.name === name);
  if (check === undefined) return undefined;
  const reason = check.failing();
  return reason === undefined ? { code: 200, text: 'ok' } : { code: 500, text: `internal server error: ${reason}\n` };
}

function quoted(names: Iterable<string>): string {
  return [...names]
    .sort()
    .map((name) => JSON.stringify(name))
    .join(',');
}
