import { signalQuietly } from '@tidegate/local';
import { type Cluster, type PartProcess, until } from '@tidegate/testkit';
import postgres from 'postgres';
import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';
import type { TwoOfEach } from './systems.ts';

const PAGE = 'docs/operate/controllers.md';
/** A lease that is not renewed lasts ten seconds. With more left than this, the last renewal was in order. */
const FRESH_SECONDS = 7;

/** From the end of the store that runs the controllers until another one fills a new namespace. */
export const stoppedLeader = takeover('was stopped', 'SIGTERM', 3000);
export const killedLeader = takeover('was killed', 'SIGKILL', 13_000);

function takeover(how: string, signal: 'SIGTERM' | 'SIGKILL', limitMs: number): PromisedTime {
  return {
    name: `another store runs the controllers after the leader ${how}`,
    limitMs,
    page: PAGE,
    times: 10,
    async measure(systems, times) {
      const system = await systems.twoOfEach();
      const sql = postgres(system.cluster.postgres.url, { max: 1, onnotice: () => {} });
      const measureRound = (round: number) =>
        measureTakeover(system, { sql, signal, namespace: `promise-${signal.toLowerCase()}-${round}` });
      return repeat(times, measureRound).finally(() => sql.end());
    },
  };
}

interface Takeover {
  readonly sql: postgres.Sql;
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** the one that shows that the controllers work */
  readonly namespace: string;
}

async function measureTakeover({ cluster, first }: TwoOfEach, { sql, signal, namespace }: Takeover): Promise<number> {
  const leader = await until('a running store to lead', () => leaderOf(cluster, sql), 60_000);
  const part = cluster.parts.get(leader) as PartProcess;
  const { pid } = part;
  signalQuietly(pid, signal);
  await until('the leader to end', () => part.pid !== pid);
  const begun = performance.now();
  await elapsedUntil('a namespace to be created', async () => {
    const { code } = await first.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
    return code === 201 || code === 409;
  });
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await elapsedUntil('a controller to fill the namespace', async () => (await first.codeOf(account)) === 200);
  const ms = performance.now() - begun;
  await until('the old leader to be ready again', () => cluster.ready(leader), 60_000);
  return ms;
}

/** The name of the replica that holds the lease, if it runs and has renewed it. */
async function leaderOf({ parts }: Cluster, sql: postgres.Sql): Promise<string | undefined> {
  const [lease] = await sql`
    SELECT holder FROM tidegate.leases
    WHERE name = 'lifecycle' AND expires_at > clock_timestamp() + make_interval(secs => ${FRESH_SECONDS})`;
  return [...parts].find(([, { pid }]) => lease?.holder === `store-${pid}`)?.[0];
}
