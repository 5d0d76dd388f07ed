import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFeatureGates } from './index.ts';

test('gates that are not named have their defaults', () => {
  assert.equal(readFeatureGates('').enabled('WatchList'), true);
  assert.equal(readFeatureGates('WatchList=false').enabled('WatchList'), false);
  assert.equal(readFeatureGates('kube:WatchList=false, AllAlpha=true').enabled('WatchList'), false);
});

test('a gate of Kubernetes that has no effect is accepted with a notice', () => {
  assert.match(readFeatureGates('AllAlpha=true').notices[0] ?? '', /AllAlpha has no effect/);
});

test('the error for an unknown gate suggests the closest name', () => {
  assert.throws(() => readFeatureGates('WatchLists=true'), /unknown feature gate WatchLists; did you mean WatchList\?/);
  assert.throws(() => readFeatureGates('Xyzzy=true'), /unknown feature gate Xyzzy$/);
});

test('a value other than true or false is rejected', () => {
  assert.throws(() => readFeatureGates('WatchList=on'), /takes Name=true or Name=false/);
  assert.throws(() => readFeatureGates('WatchList'), /takes Name=true or Name=false/);
});
