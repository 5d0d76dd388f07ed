import { startCluster } from '@tidegate/testkit';
import { medianOf } from '../against/interval.ts';
import type { ServerProcess } from '../cpu.ts';
import type { Job } from '../generator/work.ts';
import { load } from '../load.ts';
import { createNamespace } from '../measure.ts';
import { costOf } from './cost.ts';
import type { Print } from './measurements.ts';
import type { ScaleOptions } from './options.ts';

const CLIENTS = 64;
const OBJECTS = 5000;
const ROUNDS = 6;
const OPERATIONS = [
  { operation: 'get', count: 20_000 },
  { operation: 'update', count: 6000 },
] as const;

/**
 * The CPU time of the same load on one of two gateways, and on both. The two are measured in turns, because other load
 * on the machine changes both.
 */
export async function measureGateways({ scale }: ScaleOptions, print: Print): Promise<void> {
  const cluster = await startCluster({ replicas: 2, nats: true });
  try {
    const processes = [...cluster.parts].map(([name, { pid }]): ServerProcess => ({ name, pid, descendants: false }));
    processes.push({ name: 'postgres', pid: cluster.postgres.pid, descendants: true });
    const servers = cluster.endpoints.map(({ server }) => server);
    const [{ server = '', token = '' } = {}] = cluster.endpoints;
    const target = { name: 'tidegate', server, token, processes, stop: async () => {} };
    const { name: namespace, subject } = await createNamespace(target, 'gateways', 'ConfigMap');
    const shared = { token, namespace, subject, objects: OBJECTS, rate: 0, timeoutMs: 60_000, first: 0 };
    await load({ ...shared, server, operation: 'create', clients: CLIENTS, count: OBJECTS });
    print('| operation | one gateway, CPU us | two gateways | ratios of the rounds |');
    print('| --- | ---: | ---: | --- |');
    for (const { operation, count } of OPERATIONS) {
      const cost = async (gateways: readonly string[]) => {
        const job = {
          ...shared,
          operation,
          clients: CLIENTS / gateways.length,
          count: Math.ceil((count * scale) / gateways.length),
        };
        return costOf(processes, ...gateways.map((one): Job => ({ ...job, server: one })));
      };
      await cost(servers);
      const pairs: Array<[one: number, two: number]> = [];
      for (let round = 0; round < ROUNDS; round++) {
        const first = round % 2 === 0 ? await cost(servers.slice(0, 1)) : undefined;
        const two = await cost(servers);
        pairs.push([first ?? (await cost(servers.slice(0, 1))), two]);
      }
      const ratios = pairs.map(([one, two]) => (two / one).toFixed(2)).join(', ');
      const [one, two] = [0, 1].map((side) => medianOf(pairs.map((pair) => pair[side] as number)).toFixed(0));
      print(`| ${operation} | ${one} | ${two} | ${ratios} |`);
    }
  } finally {
    await cluster.stop();
  }
}
