import { type Pool, textArray } from '@tidegate/database';
import type { Key } from '@tidegate/wire';
import type * as port from '../../controllers/port.ts';

const KEYS_SINCE = `SELECT h.revision, h.floor, (
    SELECT coalesce(json_agg(DISTINCT jsonb_build_array(l.resource, l.namespace, l.name)), '[]')
    FROM tidegate.log l
    JOIN unnest($2::text[], $3::text[]) AS w (resource, name)
      ON w.resource = l.resource AND (w.name = '' OR w.name = l.name)
    WHERE l.revision > $1::bigint
  ) FROM tidegate.head h`;

/** Namespaces where a quota was written, or where a deletion or a change may have released what a quota limits. */
const QUOTAS_SINCE = `SELECT h.revision, h.floor, (
    SELECT coalesce(json_agg(DISTINCT jsonb_build_array(l.namespace, l.resource <> 'resourcequotas' OR l.kind = 2)), '[]')
    FROM tidegate.log l
    WHERE l.revision > $1::bigint AND l.namespace <> ''
      AND (l.kind = 2 OR l.resource IN ('resourcequotas', 'pods', 'services', 'persistentvolumeclaims'))
      AND (l.resource = 'resourcequotas' AND l.kind <> 2 OR l.kind > 0)
      AND EXISTS (SELECT FROM tidegate.objects q WHERE q.resource = 'resourcequotas' AND q.namespace = l.namespace)
  ) FROM tidegate.head h`;

/** The controllers' queries for what was written after a revision. One statement reads the head and the log. */
export class ChangeQueries implements port.ChangeQueries {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async keysSince(since: number, watched: readonly port.WatchedKeys[]) {
    const resources = textArray(watched.map(({ resource }) => resource));
    const names = textArray(watched.map(({ name }) => name ?? ''));
    const [row] = await this.#pool.query(KEYS_SINCE, [since, resources, names]);
    const [revision, floor, found] = row as unknown as [number, number, Array<[string, string, string]>];
    const keys = found.map(([resource, namespace, name]): Key => ({ resource, namespace, name }));
    return { revision, floor, keys };
  }

  async quotasSince(since: number) {
    const [row] = await this.#pool.query(QUOTAS_SINCE, [since]);
    const [revision, floor, found] = row as unknown as [number, number, Array<[string, boolean]>];
    return { revision, floor, namespaces: found.map(([name, hasReleases]) => ({ name, hasReleases })) };
  }
}
