import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTidegate, type TestTidegate } from '@tidegate/testkit';
import { Connection } from './generator/connection.ts';
import { load } from './load.ts';
import { createNamespace } from './measure.ts';
import { memoryOf, type Sample, trendOf } from './soak.ts';

const SECONDS = Number(process.env.SOAK_SECONDS ?? '60');
const RATE = Number(process.env.SOAK_RATE ?? '2000');
const OBJECTS = 1000;
const WATCHERS = 5;
const MIB = 2 ** 20;
const PARTS = ['gateway', 'watch', 'store'] as const;
/** The permitted growth of a part beside a share of its memory, because garbage collections are rare. */
const ROOM = [
  ['held', 16 * MIB],
  ['resident', 32 * MIB],
] as const;
/** Small windows, which are full before the end of the warm-up; otherwise history grows for five minutes. */
const WINDOWS = { TIDEGATE_WINDOW_MEMORY_MIB: '8', TIDEGATE_MIRROR_WINDOW_MEMORY_MIB: '8' };

describe(`Over ${SECONDS} s of writes with ${WATCHERS} watchers`, () => {
  let tidegate: TestTidegate;
  const samples = new Map<string, Sample[]>(PARTS.map((part) => [part, []]));
  before(async () => {
    tidegate = await startTidegate({ env: WINDOWS });
  });
  after(() => tidegate?.stop());

  const sample = async (second: number) => {
    for (const part of PARTS) {
      const { pid, opsAddress } = tidegate.part(part);
      samples.get(part)?.push({ second, ...(await memoryOf(pid, opsAddress as string)) });
    }
  };

  test('The memory of each part does not grow.', async (t) => {
    const target = {
      name: 'tidegate',
      server: tidegate.server,
      token: tidegate.token,
      processes: [],
      stop: async () => {},
    };
    const { name: namespace, subject } = await createNamespace(target, 'soak', 'ConfigMap');
    const shared = { server: tidegate.server, token: tidegate.token, namespace, subject, objects: OBJECTS, first: 0 };
    await load({ ...shared, operation: 'create', clients: 16, count: OBJECTS, rate: 0, timeoutMs: 60_000 });
    const seen = await watchers(tidegate, namespace);
    const writing = load({
      ...shared,
      ...{ operation: 'update', clients: 64, count: RATE * SECONDS, rate: RATE, timeoutMs: SECONDS * 1000 },
    });
    const begun = performance.now();
    const timer = setInterval(() => void sample((performance.now() - begun) / 1000), 1000);
    const outcome = await writing.finally(() => clearInterval(timer));
    const perSecond = outcome.operations / outcome.seconds;
    t.diagnostic(
      `${Math.round(perSecond)} writes a second, ${seen()} events; errors ${JSON.stringify(outcome.errors)}`,
    );
    assert.deepEqual(outcome.errors, {});
    assert.ok(seen() >= outcome.operations * WATCHERS * 0.9, 'the watchers received the writes');
    const growing: string[] = [];
    for (const [part, all] of samples) {
      const settled = all.filter(({ second }) => second > SECONDS / 2);
      for (const [what, room] of ROOM) {
        const { mean, growth } = trendOf(settled, what);
        const course = settled.filter((_, i) => i % Math.ceil(settled.length / 8) === 0).map((one) => mib(one[what]));
        const summary = `${part}: ${mib(mean)} MiB ${what}, ${mib(growth)} MiB more at the end (${course.join(', ')})`;
        t.diagnostic(summary);
        if (growth > 0.15 * mean + room) growing.push(summary);
      }
    }
    assert.deepEqual(growing, []);
  });
});

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

/** Starts watchers; returns a function for the total number of received events. */
async function watchers({ server, token }: TestTidegate, namespace: string): Promise<() => number> {
  const { hostname, port } = new URL(server);
  let events = 0;
  for (let i = 0; i < WATCHERS; i++) {
    const watcher = await Connection.open({ host: hostname, port: Number(port), token });
    await watcher.follow(`/api/v1/namespaces/${namespace}/configmaps?watch=1&timeoutSeconds=${SECONDS + 60}`, () => {
      events++;
    });
  }
  return () => events;
}
