import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection, Item } from '@tidegate/collection';
import { type RequestInfo, requestInfo } from '@tidegate/request-info';
import { seatsFor } from './work-estimate.ts';

const PODS = '/api/v1/namespaces/demo/pods';

function seats(
  method: string,
  url: string,
  { bytes = 0, size = 100, watchers = 0, body = 0, stored = 0 } = {},
): number {
  const collection = { size, stateBytes: bytes, get: () => ({ size: stored }) as Item } as unknown as Collection;
  const known = { collection: () => (bytes + stored === 0 ? undefined : collection), watchers: () => watchers };
  return seatsFor(requestInfo(method, url) as RequestInfo, known, body);
}

test('a list takes one seat for each 100 kB of its result, and at most ten', () => {
  assert.equal(seats('GET', PODS, { bytes: 250_000 }), 3);
  assert.equal(seats('GET', PODS, { bytes: 50_000_000 }), 10);
  assert.equal(seats('GET', `${PODS}?limit=10`, { bytes: 1_000_000 }), 1);
  assert.equal(seats('GET', PODS), 1, 'what is not known yet');
});

test('a watch with initial events takes the seats of a list', () => {
  const large = { bytes: 1_000_000 };
  assert.equal(seats('GET', `${PODS}?watch=1`, large), 10);
  assert.equal(seats('GET', `${PODS}?watch=1&resourceVersion=5&sendInitialEvents=true`, large), 10);
  assert.equal(seats('GET', `${PODS}?watch=1&resourceVersion=5`, large), 1);
});

test('a write takes one seat for each 300 kB of its body, or for the watches of its collection', () => {
  assert.equal(seats('POST', PODS, { body: 2000 }), 1);
  assert.equal(seats('POST', PODS, { body: 800_000 }), 3);
  assert.equal(seats('POST', PODS, { body: 3 << 20 }), 10);
  assert.equal(seats('PUT', `${PODS}/a`, { body: 800_000, watchers: 550 }), 6);
});

test('a small patch of a large mirrored object takes the seats of the object', () => {
  assert.equal(seats('PATCH', `${PODS}/a`, { body: 100, stored: 1_400_000 }), 5);
  assert.equal(seats('DELETE', `${PODS}/a`, { stored: 1_400_000 }), 5);
  assert.equal(seats('POST', PODS, { body: 100, stored: 1_400_000 }), 1);
  assert.equal(seats('PATCH', `${PODS}/a`, { body: 100 }), 1);
});

test('a write takes one seat for each hundred watches, and a read of one object takes one', () => {
  assert.equal(seats('PUT', `${PODS}/a`, { watchers: 250 }), 3);
  assert.equal(seats('POST', PODS), 1);
  assert.equal(seats('GET', `${PODS}/a`, { bytes: 50_000_000, watchers: 5000 }), 1);
  assert.equal(seats('GET', '/version', { watchers: 5000 }), 1);
});
