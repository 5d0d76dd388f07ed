import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, fromStored, type Kind, toStored } from '../index.ts';

const events = builtInRegistry().find('events.k8s.io', 'v1', 'events') as Kind;

test('an event of events.k8s.io is stored with the core names, and converted back without change', () => {
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a' },
    regarding: { kind: 'Pod', name: 'b' },
    note: 'text',
    reportingController: 'c',
    deprecatedSource: { component: 'd' },
    deprecatedCount: 2,
    action: 'x',
  };
  const stored = toStored(events, structuredClone(event));
  assert.deepEqual(stored, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'a' },
    involvedObject: { kind: 'Pod', name: 'b' },
    message: 'text',
    reportingComponent: 'c',
    source: { component: 'd' },
    count: 2,
    action: 'x',
  });
  const never = { deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null, eventTime: null };
  assert.deepEqual(fromStored(events, stored), { ...event, ...never });
});
