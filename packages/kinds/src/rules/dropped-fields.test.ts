import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { setDefaults } from '../index.ts';
import { kindAt } from '../testing/recorded.ts';

test('fields of missing features are accepted and not stored, at every depth', () => {
  const kind = kindAt('/apis/apps/v1/namespaces/x/deployments');
  const container = { name: 'c', lifecycle: { stopSignal: 'SIGINT' } };
  const other = { name: 'd', lifecycle: { stopSignal: 'SIGINT', preStop: { sleep: { seconds: 1 } } } };
  const spec = { workloadRef: { name: 'w' }, containers: [container, other] };
  const object: JsonObject = { spec: { template: { spec } } };
  setDefaults(kind, object);
  assert.equal('workloadRef' in spec, false);
  assert.equal('lifecycle' in container, false);
  assert.deepEqual(other.lifecycle, { preStop: { sleep: { seconds: 1 } } });
});

test('an empty object stays empty', () => {
  const kind = kindAt('/api/v1/namespaces/x/pods');
  const container = { name: 'c', lifecycle: {} };
  setDefaults(kind, { spec: { containers: [container] } });
  assert.deepEqual(container.lifecycle, {});
});
