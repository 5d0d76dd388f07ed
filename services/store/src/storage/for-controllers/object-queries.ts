import { type Pool, type Row, textArray } from '@tidegate/database';
import type { Key } from '@tidegate/wire';
import type * as port from '../../controllers/port.ts';

const TERMINATING = `SELECT namespace, namespace_revision, resource, objects, untouched, newest
  FROM tidegate.terminating_contents($1)`;
const LEFTOVER = 'SELECT namespace, resource, untouched FROM tidegate.left_behind($1::text[])';
const ACTIVE = `SELECT name FROM tidegate.objects
  WHERE resource = 'namespaces' AND namespace = '' AND NOT deleting AND ($1::text[] IS NULL OR name = ANY ($1::text[]))`;
const NAMESPACES = 'SELECT DISTINCT namespace FROM tidegate.objects WHERE resource = $1';
const NAMES = 'SELECT name FROM tidegate.objects WHERE resource = $1 AND namespace = $2 LIMIT $3::integer';
const DELETING =
  'SELECT resource, namespace, name FROM tidegate.objects WHERE deleting AND resource = ANY ($1::text[])';
const COUNTS = `SELECT resource, count(*)::integer FROM tidegate.objects
  WHERE namespace = $1 AND resource = ANY ($2::text[]) GROUP BY resource`;

/** without names the query reads the namespaces of all objects */
const LEFTOVER_MS = 60_000;

/** The controllers' queries for keys and counts across resources. */
export class ObjectQueries implements port.ObjectQueries {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async terminatingNamespaces(only: string): Promise<port.TerminatingNamespace[]> {
    const found = new Map<string, { name: string; revision: number; contents: port.NamespaceContent[] }>();
    for (const row of await this.#pool.query(TERMINATING, [only])) {
      const [name, revision, resource, objects, untouched, newest] = row as [
        string,
        number,
        string | null,
        number,
        number,
        number,
      ];
      const one = found.get(name) ?? { name, revision, contents: [] };
      found.set(name, one);
      if (resource !== null) one.contents.push({ resource, objects, untouched, newest });
    }
    return [...found.values()];
  }

  async leftoverContents(namespaces: readonly string[] | undefined): Promise<port.LeftoverContent[]> {
    const rows = await this.#pool.query(LEFTOVER, [namespaces ? textArray(namespaces) : null], LEFTOVER_MS);
    return rows.map((row) => {
      const [namespace, resource, untouched] = row as [string, string, number];
      return { namespace, resource, untouched };
    });
  }

  async activeNamespaces(names: readonly string[] | undefined): Promise<string[]> {
    const rows = await this.#pool.query(ACTIVE, [names ? textArray(names) : null]);
    return rows.map(([name]) => String(name));
  }

  async namespacesWith(resource: string): Promise<string[]> {
    return (await this.#pool.query(NAMESPACES, [resource])).map(([namespace]) => String(namespace));
  }

  async keysIn(resource: string, namespace: string, limit: number): Promise<Key[]> {
    const rows = await this.#pool.query(NAMES, [resource, namespace, limit]);
    return rows.map(([name]) => ({ resource, namespace, name: String(name) }));
  }

  async keysBeingDeleted(resources: readonly string[]): Promise<Key[]> {
    return (await this.#pool.query(DELETING, [textArray(resources)])).map(keyOf);
  }

  async countIn(namespace: string, resources: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#pool.query(COUNTS, [namespace, textArray(resources)]);
    return new Map(rows.map(([resource, count]) => [String(resource), Number(count)]));
  }
}

function keyOf(row: Row): Key {
  const [resource, namespace, name] = row as readonly [string, string, string];
  return { resource, namespace, name };
}
