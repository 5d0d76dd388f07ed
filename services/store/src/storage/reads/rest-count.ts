import type { Parameter, Transaction } from '@tidegate/database';
import type { Key, ListRequest } from '@tidegate/wire';

/**
 * Counts the objects of a list that follow a key, at a revision (0: in this snapshot). For an older revision it counts the
 * present objects, and corrects the count by each key that was created or deleted since.
 */
export async function countAfter(
  run: Transaction,
  { resource = '', namespace = '' }: ListRequest,
  { last, revision }: { last: Key; revision: number },
): Promise<number> {
  const parameters: Parameter[] = [resource, last.namespace, last.name];
  let range = 'resource = $1 AND (namespace, name) > ($2, $3)';
  if (namespace !== '') {
    parameters.push(namespace);
    range += ' AND namespace = $4';
  }
  let count = `(SELECT count(*) FROM tidegate.objects WHERE ${range})`;
  if (revision > 0) {
    parameters.push(revision);
    count += ` + (
      SELECT count(*) FILTER (WHERE c.previous_revision > 0) - count(o.name) FROM (
        SELECT DISTINCT ON (namespace, name) namespace, name, previous_revision FROM tidegate.log
        WHERE revision > $${parameters.length} AND ${range}
        ORDER BY namespace, name, revision
      ) c
      LEFT JOIN tidegate.objects o ON o.resource = $1 AND o.namespace = c.namespace AND o.name = c.name)`;
  }
  const [row] = await run(`SELECT ${count}`, parameters);
  return Number(row?.[0]);
}
