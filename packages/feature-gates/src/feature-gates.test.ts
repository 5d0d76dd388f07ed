import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFeatureGates } from './index.ts';

test('gates have their defaults until they are named', () => {
  assert.equal(readFeatureGates('').enabled('WatchList'), true);
  assert.equal(readFeatureGates('WatchList=false').enabled('WatchList'), false);
  assert.equal(readFeatureGates('kube:WatchList=false, AllAlpha=true').enabled('WatchList'), false);
});

test('a gate of Kubernetes that changes nothing here is taken, with a notice', () => {
  assert.match(readFeatureGates('AllAlpha=true').notices[0] ?? '', /AllAlpha is known/);
});

test('an unknown gate is refused with the nearest name', () => {
  assert.throws(() => readFeatureGates('WatchLists=true'), /unknown feature gate WatchLists; did you mean WatchList\?/);
  assert.throws(() => readFeatureGates('Xyzzy=true'), /unknown feature gate Xyzzy$/);
});

test('a value that is neither true nor false is refused', () => {
  assert.throws(() => readFeatureGates('WatchList=on'), /takes Name=true or Name=false/);
  assert.throws(() => readFeatureGates('WatchList'), /takes Name=true or Name=false/);
});
