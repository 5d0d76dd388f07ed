import type { Cluster } from '@tidegate/testkit';
import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';
import type { TwoOfEach } from './systems.ts';

/** Something whose loss and return readiness reports. */
interface Outage {
  /** in the plural if there are several */
  readonly what: string;
  begin(cluster: Cluster): Promise<unknown>;
  /** Resolves when what was lost works again. */
  end(cluster: Cluster): Promise<unknown>;
}

const PAGE = 'docs/operate/health.md';
const LIMIT_MS = 2000;

/** From the loss until `/readyz` of both gateways fails. */
export function lossShown(outage: Outage): PromisedTime {
  return shown('loss', outage);
}

/** From the moment at which what was lost works again until `/readyz` of both gateways passes. */
export function returnShown(outage: Outage): PromisedTime {
  return shown('return', outage);
}

function shown(change: 'loss' | 'return', outage: Outage): PromisedTime {
  return {
    name: `the ${change} of ${outage.what} is shown in /readyz`,
    limitMs: LIMIT_MS,
    page: PAGE,
    times: 5,
    async measure(systems, times) {
      const system = await systems.twoOfEach();
      return repeat(times, async () => {
        await outage.begin(system.cluster);
        const lossMs = await elapsedUntil('readiness to fail', () => bothAnswer(system, 500));
        const returnMs = await recovered(system, outage);
        return change === 'loss' ? lossMs : returnMs;
      });
    },
  };
}

async function recovered(system: TwoOfEach, outage: Outage): Promise<number> {
  await outage.end(system.cluster);
  return elapsedUntil('readiness to pass', () => bothAnswer(system, 200));
}

async function bothAnswer({ first, second }: TwoOfEach, code: number): Promise<boolean> {
  const codes = await Promise.all([first, second].map((client) => client.codeOf('/readyz')));
  return codes.every((one) => one === code);
}

export const postgresOutage: Outage = {
  what: 'PostgreSQL',
  begin: ({ postgres }) => postgres.kill(),
  end: ({ postgres }) => postgres.restart(),
};

export const storesOutage = replicasOutage('all stores', ['store-1', 'store-2']);
export const watchesOutage = replicasOutage('all watch services', ['watch-1', 'watch-2']);

function replicasOutage(what: string, names: readonly string[]): Outage {
  return {
    what,
    begin: ({ parts }) => Promise.all(names.map((name) => parts.get(name)?.stop())),
    async end(cluster) {
      for (const name of names) cluster.parts.get(name)?.startAgain();
      // readiness needs one of them
      await elapsedUntil('a replica to be ready', async () =>
        (await Promise.all(names.map((name) => cluster.ready(name)))).includes(true),
      );
    },
  };
}
