import { residentMib } from '../cpu.ts';
import type { Job } from '../generator/work.ts';
import { load } from '../load.ts';
import { createNamespace } from '../measure.ts';
import { newTarget } from '../target.ts';
import { costOf } from './cost.ts';
import type { Print } from './measurements.ts';
import type { ScaleOptions } from './options.ts';

interface Operation {
  readonly name: string;
  readonly job: Pick<Job, 'operation' | 'clients' | 'count'>;
  /** what an operation consists of, if it depends on the size of the collection */
  readonly perObject?: true;
}

const OPERATIONS: readonly Operation[] = [
  { name: 'get, 16 clients', job: { operation: 'get', clients: 16, count: 20_000 } },
  { name: 'get at version 0, 16 clients', job: { operation: 'get-cached', clients: 16, count: 20_000 } },
  { name: 'create, 16 clients', job: { operation: 'create', clients: 16, count: 4000 } },
  { name: 'update, 16 clients', job: { operation: 'update', clients: 16, count: 4000 } },
  { name: 'an object in a list of pages', job: { operation: 'list-pages', clients: 1, count: 4 }, perObject: true },
  { name: 'an event to one of 100 watchers', job: { operation: 'watch', clients: 100, count: 300 } },
];
const LONGEST_MS = 30 * 60_000;

/** The CPU time of operations on collections of several sizes, in one system that grows. */
export async function measureCollections({ objects: sizes, scale }: ScaleOptions, print: Print): Promise<void> {
  const counts = sizes.map(Number);
  const target = await newTarget();
  try {
    const namespace = await createNamespace(target, 'scale', 'ConfigMap');
    const shared = {
      server: target.server,
      token: target.token,
      namespace: namespace.name,
      subject: namespace.subject,
    };
    const costs = new Map<string, number[]>(OPERATIONS.map(({ name }) => [name, []]));
    const memory: number[] = [];
    let created = 0;
    for (const objects of counts) {
      const place = { ...shared, objects, rate: 0, timeoutMs: LONGEST_MS };
      const missing = objects - created;
      await load({ ...place, operation: 'create', clients: 64, count: missing, first: created });
      created = objects;
      for (const { name, job, perObject } of OPERATIONS) {
        const count = Math.ceil(job.count * scale);
        const whole = { ...place, ...job, count, first: created };
        // the first operations open the mirror, and let V8 compile
        const warmUp = Math.ceil(count / 4);
        await load({ ...whole, count: warmUp });
        if (job.operation === 'create') whole.first += warmUp;
        const us = await costOf(target.processes, whole);
        if (job.operation === 'create') created = whole.first + count;
        costs.get(name)?.push(perObject ? us / created : us);
      }
      memory.push(residentMib(target.processes));
    }
    print(`| CPU us | ${counts.map((count) => `${count} objects`).join(' | ')} |`);
    print(`| --- |${' ---: |'.repeat(counts.length)}`);
    for (const [name, all] of costs) {
      const first = all[0] as number;
      const cells = all.map((us, i) =>
        i === 0 ? us.toPrecision(3) : `${us.toPrecision(3)} (${(us / first).toFixed(2)})`,
      );
      print(`| ${name} | ${cells.join(' | ')} |`);
    }
    print(`| memory of all processes, MiB | ${memory.join(' | ')} |`);
  } finally {
    await target.stop();
  }
}
