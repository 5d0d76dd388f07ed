import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { SdkTracing } from './tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const provider = new TracerProvider();

function sampling(sampleRatio: number): SdkTracing {
  return new SdkTracing(provider.getTracer('test'), sampleRatio, () => provider.shutdown());
}

test("The caller's sampling decision takes precedence over the sample ratio.", () => {
  const [all, none] = [sampling(1), sampling(0)];
  for (const tracing of [all, none]) {
    assert.equal(tracing.request('get', `00-${TRACE}-${CALLER}-00`), undefined);
    const span = tracing.request('get', `00-${TRACE}-${CALLER}-01`);
    assert.equal(span?.traceId, TRACE);
    assert.match(span.traceparent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    assert.notEqual(span.traceparent.split('-')[2], CALLER);
  }
});

test('Other requests are sampled by the ratio, each in a trace of its own.', () => {
  const [all, none, some] = [sampling(1), sampling(0), sampling(0.25)];
  const unreadable = [
    '',
    'x',
    `00-${'0'.repeat(32)}-${CALLER}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${CALLER}-01`,
  ];
  for (const traceparent of [undefined, ...unreadable]) {
    assert.equal(none.request('get', traceparent), undefined);
    const ids = new Set([1, 2, 3].map(() => all.request('get', traceparent)?.traceId));
    assert.equal(ids.size, 3);
    assert.ok(!ids.has(TRACE) && !ids.has(undefined), String(traceparent));
  }
  const traced = Array.from({ length: 4000 }, () => some.request('get', undefined)).filter(
    (span) => span !== undefined,
  );
  assert.ok(traced.length > 800 && traced.length < 1200, `${traced.length}`);
});

test('A child span is recorded if its parent is sampled.', () => {
  const tracing = sampling(0);
  assert.equal(tracing.child('commit', undefined), undefined);
  assert.equal(tracing.child('commit', `00-${TRACE}-${CALLER}-00`), undefined);
  assert.equal(tracing.child('commit', `00-${TRACE}-${CALLER}-01`)?.traceId, TRACE);
});
