import { startCluster } from '@tidegate/testkit';
import { cpuSeconds, type ServerProcess } from '../cpu.ts';
import { LeaseWriter } from './lease-writer.ts';
import type { Print } from './measurements.ts';
import type { ScaleOptions } from './options.ts';

const WARM_UP_SECONDS = 5;

/**
 * Renews leases through stores alone, as gateways would do for a very large cluster: first two writers at one store,
 * then one writer at each of two stores.
 */
export async function measureLeases(options: ScaleOptions, print: Print): Promise<void> {
  print('| stores | renewals/s | p50 ms | p99 ms | CPU us/renewal | of which |');
  print('| ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const stores of [1, 2]) print(await measured(stores, options));
}

async function measured(stores: number, { leases, renewals, seconds }: ScaleOptions): Promise<string> {
  const cluster = await startCluster({ replicas: stores, nats: false });
  try {
    const replicas = Array.from({ length: stores }, (_, i) => i + 1);
    // only the stores and their database are measured
    for (const part of ['gateway', 'watch']) {
      for (const i of replicas) await cluster.parts.get(`${part}-${i}`)?.stop();
    }
    const processes: ServerProcess[] = [
      { name: 'postgres', pid: cluster.postgres.pid, descendants: true },
      ...replicas.map((i) => ({ name: 'store', pid: cluster.parts.get(`store-${i}`)?.pid ?? 0, descendants: false })),
    ];
    const addresses = stores === 1 ? [0, 0] : [0, 1];
    const writers = addresses.map((i) => new LeaseWriter(cluster.stores[i] as string, cluster.certificates));
    const own = writers.map((_, w) =>
      Array.from({ length: leases / writers.length }, (_, i) => i * writers.length + w),
    );
    const each = <T>(work: (writer: LeaseWriter, leases: readonly number[]) => Promise<T>) =>
      Promise.all(writers.map((writer, w) => work(writer, own[w] as number[])));
    await each((writer, mine) => writer.create(mine));
    await each((writer, mine) => writer.renew(mine, renewals / writers.length, WARM_UP_SECONDS));
    const before = cpuSeconds(processes);
    const begun = performance.now();
    const done = await each((writer, mine) => writer.renew(mine, renewals / writers.length, seconds));
    const elapsed = (performance.now() - begun) / 1000;
    const after = cpuSeconds(processes);
    for (const writer of writers) writer.close();
    const written = done.reduce((sum, one) => sum + one.written, 0);
    const latencies = done.flatMap((one) => one.latencies).sort((a, b) => a - b);
    const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
    const parts = [...after].map(([name, s]) => [name, ((s - (before.get(name) ?? 0)) * 1e6) / written] as const);
    const all = parts.reduce((sum, [, us]) => sum + us, 0);
    const ofWhich = parts.map(([name, us]) => `${name} ${us.toFixed(0)}`).join(', ');
    return `| ${stores} | ${Math.round(written / elapsed)} | ${at(0.5)} | ${at(0.99)} | ${all.toFixed(0)} | ${ofWhich} |`;
  } finally {
    await cluster.stop();
  }
}
