import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { configMap, MAPS } from '../support/client.ts';
import { parseExposition } from '../support/exposition.ts';
import { whyNoHelm } from '../support/helm.ts';
import { OBSERVED } from '../support/observed.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';
import { declaredMetrics } from './support/declared-metrics.ts';
import { parseExpression } from './support/promql.ts';
import { expressions, rules } from './support/telemetry.ts';

/** labels that Prometheus adds to every series, as the chart's ServiceMonitor configures it */
const TARGET = ['job', 'namespace', 'pod', 'app_kubernetes_io_component'];
const PARTS = ['gateway', 'store', 'watch', 'health'];

describe('Metrics of dashboards and rules', { skip: whyNoHelm() ?? false }, () => {
  let system: RunningSystem;
  /** for each exported series, the labels that it can have */
  const labels = new Map<string, Set<string>>();

  before(async () => {
    system = await sharedSystem(OBSERVED);
    const { client, tidegate } = system;
    const watch = await client.watch(`${MAPS}?watch=1`);
    await client.request('POST', MAPS, { body: configMap('one') });
    await watch.next();
    assert.equal((await client.get(`${MAPS}?timeout=1us`)).code, 504);
    for (const part of PARTS) {
      const text = await (await fetch(`http://${tidegate.part(part).opsAddress}/metrics`)).text();
      addSeries(text);
    }
    watch.close();
    for (const { name, labelNames } of await declaredMetrics())
      for (const label of labelNames) labels.get(name)?.add(label);
  });
  after(async () => {
    await system.stop();
  });

  function addSeries(text: string): void {
    for (const { name, type, samples } of parseExposition(text, 'plain').values()) {
      const series = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
      for (const one of series) if (!labels.has(one)) labels.set(one, new Set());
      for (const sample of samples) for (const label of Object.keys(sample.labels)) labels.get(sample.name)?.add(label);
    }
  }

  test('The parts export every metric that a dashboard or rule queries, with the labels that it uses.', () => {
    const recorded = new Map(
      rules().flatMap(({ record, labels: own }) => (record ? [[record, Object.keys(own)]] : [])),
    );
    for (const { place, expr, named } of expressions()) {
      const { uses, groups } = parseExpression(expr);
      const known = (metric: string) => recorded.get(metric) ?? [...(labels.get(metric) ?? []), ...TARGET];
      for (const { metric, labels: asked } of uses) {
        assert.ok(recorded.has(metric) || labels.has(metric), `${place}: ${metric} is exported by no part`);
        for (const label of asked) assert.ok(known(metric).includes(label), `${place}: ${metric} has no ${label}`);
      }
      for (const label of groups)
        assert.ok(
          uses.some(({ metric }) => known(metric).includes(label)),
          `${place}: no queried metric has ${label}`,
        );
      for (const label of named) assert.ok(groups.includes(label), `${place} uses ${label}, but does not group by it`);
    }
  });
});
