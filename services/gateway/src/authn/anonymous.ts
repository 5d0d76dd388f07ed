import { anonymous, type User } from '../request/user.ts';

/** Where those may ask who say nothing of themselves; what they may there is for roles. */
export type AnonymousPaths = 'all' | { readonly exact: ReadonlySet<string>; readonly below: readonly string[] };

/** Health and the version. */
export const USUAL_PATHS: AnonymousPaths = {
  exact: new Set(['/livez', '/readyz', '/healthz', '/version']),
  below: ['/livez/', '/readyz/', '/healthz/', '/version/'],
};

export const NOWHERE: AnonymousPaths = { exact: new Set(), below: [] };

/** undefined: not here. */
export function anonymousAt(url: string, paths: AnonymousPaths): User | undefined {
  if (paths === 'all') return anonymous;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (paths.exact.has(path)) return anonymous;
  // what leads out again is not below
  return !path.includes('..') && paths.below.some((prefix) => path.startsWith(prefix)) ? anonymous : undefined;
}
