import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

/** What a system has that nobody has used yet: the namespaces that the store makes itself. */
const FOREIGN = `SELECT concat_ws('/', resource, nullif(namespace, ''), name), count(*) OVER () FROM tidegate.objects
  WHERE NOT (resource = 'namespaces' AND name IN ('default', 'kube-node-lease', 'kube-public', 'kube-system'))
  ORDER BY resource, namespace, name LIMIT 1`;

/** Nothing that somebody made is replaced unless that was asked for. */
export async function refuseUsedSystem(session: Session): Promise<void> {
  const [first] = await session.query(FOREIGN);
  if (first === undefined) return;
  const more = Number(first[1]) - 1;
  throw new Refusal(
    `the database holds ${first[0]}${more > 0 ? ` and ${more} more objects` : ''}: add --replace to lose what it holds, or restore into an empty one`,
  );
}
