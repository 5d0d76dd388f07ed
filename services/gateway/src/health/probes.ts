import type { Query } from '@tidegate/request-info';
import type { Check, Checks } from '@tidegate/service-kit';

interface ProbeAnswer {
  code: number;
  text: string;
}

const ENDPOINTS = new Set(['livez', 'readyz', 'healthz']);

/** /livez, /readyz and /healthz of this process, from local state; undefined at other paths. */
export function probe(checks: Checks, path: string, query: Query): ProbeAnswer | undefined {
  const [, endpoint = '', name, ...rest] = path.split('/');
  if (!ENDPOINTS.has(endpoint) || rest.length > 0) return undefined;
  const all = checksOf(checks, endpoint);
  if (name !== undefined && name !== '') return single(all, name);
  const excluded = new Set(query.all('exclude').flatMap((text) => text.split(',')));
  const lines: string[] = [];
  let failed = false;
  for (const check of all) {
    if (excluded.delete(check.name)) lines.push(`[+]${check.name} excluded: ok`);
    else if (check.failing() === undefined) lines.push(`[+]${check.name} ok`);
    else {
      failed = true;
      lines.push(`[-]${check.name} failed: reason withheld`);
    }
  }
  for (const unknown of excluded)
    lines.push(`warn: some health checks cannot be excluded: no matches for ${JSON.stringify(unknown)}`);
  lines.push(`healthz check ${failed ? 'failed' : 'passed'}`, '');
  if (failed) return { code: 500, text: lines.join('\n') };
  return { code: 200, text: query.get('verbose') === undefined ? 'ok' : lines.join('\n') };
}

/** Liveness does not fail for what only other processes can mend. */
function checksOf(checks: Checks, endpoint: string): Check[] {
  const all = checks
    .all()
    .map((check) => (endpoint === 'livez' || !check.required ? { ...check, failing: () => undefined } : check));
  const shutdown: Check = {
    name: 'shutdown',
    required: true,
    failing: () => (checks.stopping ? 'the process is stopping' : undefined),
  };
  return endpoint === 'readyz' ? [...all, shutdown] : all;
}

function single(all: readonly Check[], name: string): ProbeAnswer | undefined {
  const check = all.find((candidate) => candidate.name === name);
  if (check === undefined) return undefined;
  const reason = check.failing();
  return reason === undefined ? { code: 200, text: 'ok' } : { code: 500, text: `internal server error: ${reason}\n` };
}
