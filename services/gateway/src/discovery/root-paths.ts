import type { Registry } from '@tidegate/kinds';
import { servedGroups } from './group-order.ts';
import type { ServedElsewhere } from './served-elsewhere.ts';

/** What the root of the API tells of this server, beside what the registry has. */
export interface ServerFacts {
  /** where clients reach it: host and port */
  readonly serverAddress: string;
  /** paths that belong to no group: health checks, metrics, keys */
  readonly paths: () => readonly string[];
}

export const NO_FACTS: ServerFacts = { serverAddress: '', paths: () => [] };
const ALWAYS = ['/api', '/api/v1', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version'];

/** `/`: every path under which something is served, in order. */
export function rootPaths(registry: Registry, elsewhere: ServedElsewhere, facts: ServerFacts): string[] {
  const named = servedGroups(registry, elsewhere, 'plain').filter(({ group }) => group !== '');
  const ofGroups = named.flatMap(({ group, versions }) => [
    `/apis/${group}`,
    ...versions.map(({ version }) => `/apis/${group}/${version}`),
  ]);
  return [...new Set([...ALWAYS, ...ofGroups, ...facts.paths()])].sort();
}
