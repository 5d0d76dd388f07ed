import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs } from './duration.ts';

test('durations are parsed in Go’s format', () => {
  const known: ReadonlyArray<readonly [string, number | undefined]> = [
    ['0', 0],
    ['32s', 32_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['-5s', -5000],
    ['250ms', 250],
    ['1ns', 1e-6],
    ['5', undefined],
    ['', undefined],
    ['s', undefined],
    ['1d', undefined],
    [' 1s', undefined],
    ['1s1', undefined],
  ];
  for (const [text, ms] of known) assert.equal(durationMs(text), ms, text);
});
