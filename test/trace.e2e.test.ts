import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until, whyNoNats } from '@tidegate/testkit';
import { configMap, MAPS } from './support/client.ts';
import { startOtlpReceiver } from './support/otlp-receiver.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

/** Several writes with a trace each, because a late change is read from the log, which has no trace context. */
const TRACES = Array.from({ length: 10 }, (_, i) => `4bf92f3577b34da6a3ce929d0e0e473${i}`);
const CALLER = '00f067aa0ba902b7';

/** the spans with their parents, from the client's request to the watcher's socket */
const TREE = [
  ['tidegate-gateway', 'create configmaps', undefined],
  ['tidegate-store', 'store.commit', 'create configmaps'],
  ['tidegate-store', 'postgresql.commit', 'store.commit'],
  ['tidegate-store', 'store.publish', 'store.commit'],
  ['tidegate-watch', 'nats.deliver', 'store.publish'],
  ['tidegate-watch', 'watch.apply', 'nats.deliver'],
  ['tidegate-gateway', 'gateway.fan-out', 'watch.apply'],
] as const;

const skip = (await whyNoNats()) ?? false;

describe('Traces', () => {
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
  let system: RunningSystem;
  before(async () => {
    receiver = await startOtlpReceiver();
    system = await runningSystem({ args: [`--otlp-endpoint=${receiver.url}`] });
  });
  after(async () => {
    receiver.close();
    await system?.stop();
  });

  test('A write is one trace, from the client through the commit to the watcher.', { skip }, async () => {
    const { tidegate, client } = system;
    const watch = await client.watch(
      `${MAPS}?watch=1&resourceVersion=${(await client.get(MAPS)).json.metadata.resourceVersion}`,
    );
    for (const [i, trace] of TRACES.entries()) {
      const headers = { traceparent: `00-${trace}-${CALLER}-01` };
      assert.equal((await client.request('POST', MAPS, { body: configMap(`traced-${i}`), headers })).code, 201);
      assert.equal((await watch.next()).type, 'ADDED');
    }
    watch.close();

    const of = (trace: string) => receiver.spans.filter((span) => span.traceId === trace);
    const has = (trace: string, name: string) => of(trace).some((span) => span.name === name);
    await until('the commit of every write to be traced', () =>
      TRACES.every((trace) => TREE.slice(0, 4).every(([, name]) => has(trace, name))),
    );
    // where a read of the log was faster than the bus, the change was not applied from its delivery
    const cameByBus = (trace: string) => {
      const deliveries = of(trace).filter(({ name }) => name === 'nats.deliver');
      const applied = of(trace).find(({ name }) => name === 'watch.apply');
      return deliveries.some(({ spanId }) => spanId === applied?.parentSpanId);
    };
    const whole = await until('a complete trace', () =>
      // a message that the bus delivers twice has two deliveries, of which one is applied
      TRACES.find(
        (trace) =>
          cameByBus(trace) && TREE.every(([, name]) => of(trace).filter((span) => span.name === name).length === 1),
      ),
    );
    for (const [service, name, parent] of TREE) {
      const span = of(whole).find((candidate) => candidate.name === name);
      const above = parent === undefined ? CALLER : of(whole).find((candidate) => candidate.name === parent)?.spanId;
      assert.deepEqual([span?.service, span?.parentSpanId], [service, above], name);
    }

    const log = readFileSync(join(tidegate.dataDir, 'logs', 'gateway.log'), 'utf8');
    assert.match(log, new RegExp(`"traceId":"${whole}"`), 'the log contains the trace id');
  });

  test('A collector that breaks connections, and later is unreachable, causes no errors, also at the end.', async () => {
    const { client } = system;
    receiver.break();
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, i) => client.request('POST', MAPS, { body: configMap(`untraced-${i}`) })),
    );
    assert.deepEqual(new Set(codes.map(({ code }) => code)), new Set([201]));
    await until('several exports to fail', () => receiver.broken >= 3);
    receiver.close();
    const items = (await client.get(MAPS)).json.items as ReadonlyArray<{ metadata: { name: string } }>;
    assert.equal(items.filter(({ metadata }) => metadata.name.startsWith('untraced-')).length, 100);
    assert.equal((await client.get('/readyz')).code, 200);
    await system.stop();
    assert.doesNotMatch(system.tidegate.output, /did not stop in time/);
  });
});
