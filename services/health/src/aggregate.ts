import type { Check, Endpoint } from '@tidegate/service-kit';
import { type Replica, type ReplicaCheck, UNKNOWN } from './probes/replica.ts';
import { isServed, stateOf } from './report.ts';

/**
 * The checks of all replicas as the checks of one endpoint, named `part/replica/check`.
 *
 * /healthz fails when any required check of any replica fails. /readyz and /livez are about the whole system: they fail
 * when a part has no replica that is ready, or alive. Otherwise the checks that fail are shown as degradations.
 */
export function aggregated(replicas: readonly Replica[], endpoint: Endpoint): Check[] {
  const isCovered = coverage(replicas, endpoint);
  const ping: Check = { name: 'ping', required: true, failing: () => undefined };
  const checks = replicas.flatMap((replica) =>
    listed(replica, endpoint).map(({ name, required, passes, message }): Check => {
      const failing = () => (passes ? undefined : message || 'failed');
      const full = `${replica.part}/${replica.instance}/${name}`;
      return { name: full, required: required && !isCovered(replica.part), failing };
    }),
  );
  return [ping, ...checks];
}

/** Whether a part has a working replica, so that a failing one does not fail the whole system. */
function coverage(replicas: readonly Replica[], endpoint: Endpoint): (part: string) => boolean {
  if (endpoint === 'healthz') return () => false;
  const states = replicas.map((replica) => ({
    part: replica.part,
    state: endpoint === 'livez' ? lifeOf(replica) : stateOf(replica),
  }));
  const covered = new Map<string, boolean>();
  for (const part of [...states.map((one) => one.part), UNKNOWN]) covered.set(part, isServed(states, part));
  return (part) => covered.get(part) ?? false;
}

function lifeOf({ checks }: Replica): 'ok' | 'failing' {
  return checks.every(({ onLivez, live }) => !onLivez || live) ? 'ok' : 'failing';
}

function listed({ checks, isStopping }: Replica, endpoint: Endpoint): readonly ReplicaCheck[] {
  if (endpoint === 'healthz') return checks;
  if (endpoint === 'livez')
    return checks.filter(({ onLivez }) => onLivez).map((check) => ({ ...check, required: true, passes: check.live }));
  const [first] = checks as [ReplicaCheck];
  const message = isStopping ? 'process is shutting down' : '';
  return [...checks, { ...first, name: 'shutdown', required: true, passes: !isStopping, message }];
}
