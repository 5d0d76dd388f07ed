import type { LoadMessage } from '@tidegate/wire';
import { type Replica, type ReplicaCheck, UNKNOWN } from './probes/replica.ts';

export type ReplicaState = 'ok' | 'degraded' | 'failing' | 'stopping' | 'unreachable';
export type SystemState = 'ok' | 'degraded' | 'failing';

export interface ReportedReplica {
  readonly part: string;
  readonly instance: string;
  readonly address: string;
  readonly state: ReplicaState;
  /** since when it answers, or does not answer */
  readonly since: string;
  readonly revision: number;
  readonly load: LoadMessage | null;
  readonly checks: ReadonlyArray<
    Pick<ReplicaCheck, 'name' | 'required' | 'message'> & { readonly ok: boolean; readonly since: string }
  >;
}

export interface Report {
  readonly state: SystemState;
  readonly at: string;
  /** the newest revision that any replica knows */
  readonly revision: number;
  /** every replica of every part */
  readonly parts: readonly ReportedReplica[];
}

/** The health of the whole system, from the accepted states of its replicas. */
export function reportOf(replicas: readonly Replica[], now: number): Report {
  const parts = replicas.map(reportReplica).sort(byName);
  const revision = Math.max(0, ...parts.map((replica) => replica.revision));
  return { state: systemState(parts), at: iso(now), revision, parts };
}

/** A part without a working replica fails the whole system; a failing replica beside a working one degrades it. */
function systemState(parts: readonly ReportedReplica[]): SystemState {
  if (parts.every(({ state }) => state === 'ok')) return 'ok';
  return parts.every(({ part }) => isServed(parts, part)) ? 'degraded' : 'failing';
}

/** the parts that the system needs; a replica that has not answered yet may be any of them */
const NEEDED = ['gateway', 'store', 'watch'];

/** Whether a part has a working replica. */
export function isServed(
  replicas: ReadonlyArray<{ readonly part: string; readonly state: ReplicaState }>,
  part: string,
): boolean {
  if (part === UNKNOWN) return NEEDED.every((needed) => isServed(replicas, needed));
  return replicas.some((one) => one.part === part && (one.state === 'ok' || one.state === 'degraded'));
}

export function stateOf(replica: Pick<Replica, 'isReachable' | 'isStopping' | 'checks'>): ReplicaState {
  if (!replica.isReachable) return 'unreachable';
  if (replica.isStopping) return 'stopping';
  const failing = replica.checks.filter(({ passes }) => !passes);
  if (failing.some(({ required }) => required)) return 'failing';
  return failing.length > 0 ? 'degraded' : 'ok';
}

function reportReplica(replica: Replica): ReportedReplica {
  const { part, instance, address, revision } = replica;
  return {
    part,
    instance,
    address,
    state: stateOf(replica),
    since: iso(replica.since),
    revision,
    load: replica.load === undefined ? null : plain(replica.load),
    checks: replica.checks.map(({ name, passes, required, message, since }) => ({
      name,
      ok: passes,
      required,
      message,
      since: iso(since),
    })),
  };
}

/** Copies a message: its fields with the value 0 are only in its prototype, which JSON ignores. */
function plain(load: LoadMessage): LoadMessage {
  const { requestsPerSecond, loopDelayMs, residentBytes, watchers, hasLag, lagMs, uptimeSeconds } = load;
  return { requestsPerSecond, loopDelayMs, residentBytes, watchers, hasLag, lagMs, uptimeSeconds };
}

function byName(a: ReportedReplica, b: ReportedReplica): number {
  return a.part.localeCompare(b.part) || a.instance.localeCompare(b.instance);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
