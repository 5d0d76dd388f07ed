import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { builtInRegistry, type Kind, metaOf, prepareCreate, prepareUpdate } from '../index.ts';

const registry = builtInRegistry();
const deployments = registry.find('apps', 'v1', 'deployments') as Kind;
const daemonSets = registry.find('apps', 'v1', 'daemonsets') as Kind;
const nodes = registry.find('', 'v1', 'nodes') as Kind;
const author = { name: 'me', uid: '', groups: [] };

const deployment = (replicas: number, ready: number): JsonObject => ({
  metadata: { name: 'a', generation: 4 },
  spec: { replicas },
  status: { readyReplicas: ready },
});

test('a creation begins with an empty status and the first generation', () => {
  const object = deployment(1, 5);
  prepareCreate(deployments, object, author);
  assert.deepEqual([object.status, metaOf(object).generation], [{}, 1]);
  const set: JsonObject = { status: { numberReady: 3 } };
  prepareCreate(daemonSets, set, author);
  const zeros = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
  assert.deepEqual(set.status, zeros);
});

test('a node can be created with its status', () => {
  const node: JsonObject = { status: { phase: 'x' } };
  prepareCreate(nodes, node, author);
  assert.deepEqual(node.status, { phase: 'x' });
});

test('an update of the object keeps the status, and increases the generation when the spec has changed', () => {
  const object = deployment(2, 9);
  prepareUpdate(deployments, object, deployment(1, 5), '');
  assert.deepEqual([object.status, metaOf(object).generation], [{ readyReplicas: 5 }, 5]);
  const same = deployment(1, 9);
  prepareUpdate(deployments, same, deployment(1, 5), '');
  assert.equal(metaOf(same).generation, 4);
});

test('an update of the status keeps everything else, and the generation', () => {
  const object = { ...deployment(2, 9), extra: true };
  prepareUpdate(deployments, object, deployment(1, 5), 'status');
  assert.deepEqual(object, deployment(1, 9));
});
