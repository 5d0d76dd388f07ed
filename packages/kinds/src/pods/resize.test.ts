import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { validateResize } from './resize.ts';

const amounts = (requests: JsonObject, limits: JsonObject = {}) => ({ resources: { requests, limits } });
const once = { name: 'once', ...amounts({ cpu: '20m' }) };
const beside = { name: 'beside', restartPolicy: 'Always', ...amounts({ cpu: '20m' }) };
const main = { name: 'main', ...amounts({ cpu: '20m', 'ephemeral-storage': '1Gi' }, { cpu: '40m' }) };
const before = { initContainers: [once, beside], containers: [main] };
const POLICY = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };

const cases: ReadonlyArray<[what: string, change: JsonObject, words: string | undefined]> = [
  ['nothing', {}, undefined],
  [
    'processors',
    { containers: [{ ...main, ...amounts({ cpu: '1', 'ephemeral-storage': '1Gi' }, { cpu: '2' }) }] },
    undefined,
  ],
  [
    'the first memory',
    { containers: [{ ...main, ...amounts({ cpu: '1', 'ephemeral-storage': '1Gi', memory: '1Gi' }, { cpu: '2' }) }] },
    undefined,
  ],
  ['a sidecar', { initContainers: [once, { ...beside, ...amounts({ cpu: '30m', memory: '1Gi' }) }] }, undefined],
  [
    'storage',
    { containers: [{ ...main, ...amounts({ cpu: '20m', 'ephemeral-storage': '2Gi' }, { cpu: '40m' }) }] },
    'spec: only cpu and memory resources are mutable',
  ],
  ['how it is done', { containers: [{ ...main, ...POLICY }] }, 'spec: only cpu and memory resources are mutable'],
  [
    'a limit, away',
    { containers: [{ ...main, ...amounts({ cpu: '20m', 'ephemeral-storage': '1Gi' }) }] },
    'spec.containers[0].resources.limits: resource limits cannot be removed',
  ],
  [
    'what runs once',
    { initContainers: [{ ...once, ...amounts({ cpu: '30m' }) }, beside] },
    'spec: resources for non-sidecar init containers are immutable',
  ],
  [
    'how a sidecar is resized',
    { initContainers: [once, { ...beside, ...POLICY }] },
    'spec: only cpu and memory resources for sidecar containers are mutable',
  ],
  [
    'another container',
    { containers: [main, { name: 'new' }] },
    'spec.containers: containers may not be added or removed on resize',
  ],
  [
    'a sidecar, away',
    { initContainers: [once] },
    'spec.initContainers: initContainers may not be added or removed on resize',
  ],
];

for (const [what, change, words] of cases) {
  test(`a resize of ${what} is ${words === undefined ? 'accepted' : 'rejected'}`, () => {
    const errors = validateResize({ ...before, ...change }, before).map(({ field, message }) => `${field}: ${message}`);
    assert.deepEqual(errors, words === undefined ? [] : [words.replace(': ', ': Forbidden: ')]);
  });
}
