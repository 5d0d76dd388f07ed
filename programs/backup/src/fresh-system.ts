import { BackupError } from './file/backup-error.ts';
import type { Session } from './session.ts';

/** finds objects that a new system does not have: a new system has only these namespaces */
const FOREIGN = `SELECT concat_ws('/', resource, nullif(namespace, ''), name), count(*) OVER () FROM tidegate.objects
  WHERE NOT (resource = 'namespaces' AND name IN ('default', 'kube-node-lease', 'kube-public', 'kube-system'))
  ORDER BY resource, namespace, name LIMIT 1`;

/** Rejects a database with objects, unless the user has requested to replace them. */
export async function refuseUsedSystem(session: Session): Promise<void> {
  const [first] = await session.query(FOREIGN);
  if (first === undefined) return;
  const more = Number(first[1]) - 1;
  throw new BackupError(
    `the database holds ${first[0]}${more > 0 ? ` and ${more} more objects` : ''}: add --replace to lose what it holds, or restore into an empty one`,
  );
}
