import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declareCheckMetrics } from './check-metrics.ts';
import { Checks } from './checks.ts';
import { MetricRegistry } from './metric-registry.ts';

test('A failing check changes its metric, and the readiness metric only if the check is required.', async () => {
  const registry = new MetricRegistry();
  const checks = new Checks();
  let trouble: string | undefined = 'away';
  checks.add('postgres', () => trouble);
  checks.add('nats', () => 'silent', { required: false });
  declareCheckMetrics(registry, 'store', checks);
  const text = async () => (await registry.exposition(undefined)).text;
  assert.match(await text(), /^kubernetes_healthcheck\{name="postgres",type="readyz"\} 0$/m);
  assert.match(await text(), /^kubernetes_healthcheck\{name="ping",type="livez"\} 1$/m);
  assert.match(await text(), /^tidegate_part_ready\{part="store"\} 0$/m);
  trouble = undefined;
  assert.match(await text(), /^kubernetes_healthcheck\{name="nats",type="readyz"\} 0$/m);
  assert.match(await text(), /^tidegate_part_ready\{part="store"\} 1$/m);
});
