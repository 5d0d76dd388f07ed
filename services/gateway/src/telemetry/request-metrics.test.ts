import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricRegistry } from '@tidegate/service-kit';
import { RequestMetrics } from './request-metrics.ts';

test('The metrics do not grow with the number of usernames.', async () => {
  const registry = new MetricRegistry();
  const metrics = new RequestMetrics(registry, () => undefined);
  for (let i = 0; i < 10_000; i++) {
    metrics.authenticated({ name: `user-${i}`, uid: '', groups: [] });
    metrics.authenticated({ name: `user-${i}@example.com`, uid: '', groups: [] });
  }
  metrics.authenticated({ name: 'kubelet', uid: '', groups: [] });
  const { text } = await registry.exposition(undefined);
  const labels = [...text.matchAll(/^authenticated_user_requests\{username="([^"]*)"\} (\d+)$/gm)];
  assert.deepEqual(
    labels.map(([, name, count]) => [name, Number(count)]),
    [
      ['other', 10_000],
      ['email_id', 10_000],
      ['kubelet', 1],
    ],
  );
});
