import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricRegistry } from './metric-registry.ts';
import { prefersOpenMetrics } from './open-metrics.ts';

const PROMETHEUS =
  'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';

for (const [accept, expected] of [
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/plain', false],
  ['application/openmetrics-text', true],
  ['Application/OpenMetrics-Text; version=1.0.0', true],
  [PROMETHEUS, true],
  ['text/plain, application/openmetrics-text;q=0.9', false],
  ['application/openmetrics-text;q=0', false],
  ['application/openmetrics-text;q=nonsense', false],
] as const) {
  test(`${JSON.stringify(accept)} selects ${expected ? 'OpenMetrics' : 'plain text'}`, () => {
    assert.equal(prefersOpenMetrics(accept), expected);
  });
}

test('A counter has the same name in both formats, in whichever order they are requested.', async () => {
  const registry = new MetricRegistry();
  registry.counter({ name: 'some_events_total', help: 'Events.' }).inc();
  registry.counter({ name: 'some_attempts', help: 'Attempts.' }).inc(2);
  const open = await registry.exposition('application/openmetrics-text');
  assert.match(open.contentType, /^application\/openmetrics-text; version=1\.0\.0/);
  assert.match(open.text, /^# TYPE some_events counter\nsome_events_total 1$/m);
  assert.match(open.text, /^# TYPE some_attempts unknown\nsome_attempts 2$/m);
  assert.ok(open.text.endsWith('\n# EOF\n'));
  const plain = await registry.exposition(undefined);
  assert.match(plain.contentType, /^text\/plain/);
  assert.match(plain.text, /^# TYPE some_events_total counter\nsome_events_total 1$/m);
  assert.match(plain.text, /^# TYPE some_attempts counter\nsome_attempts 2$/m);
});
