import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from '@tidegate/service-kit';
import { checkNumbers, options } from './config.ts';

const given = (...flags: string[]) => {
  const needed = ['targets', 'peer-cert-file', 'peer-key-file', 'peer-ca-file'].map((name) => `--${name}=x`);
  return readOptions(options, [...needed, ...flags], {});
};

test('A number out of range is rejected, and the error names the option and the range.', () => {
  for (const [flag, message] of [
    ['--probe-period-seconds=0', /--probe-period-seconds must be a number from 0.1 to 3600, not 0/],
    ['--probe-timeout-seconds=-1', /--probe-timeout-seconds must be a number from 0.1 to 60, not -1/],
    ['--probe-failure-threshold=0', /--probe-failure-threshold must be a whole number from 1 to 100, not 0/],
    ['--probe-success-threshold=1.5', /--probe-success-threshold must be a whole number from 1 to 100, not 1.5/],
    ['--history-minutes=1000000', /--history-minutes must be a whole number from 60 to 10080, not 1000000/],
  ] as const)
    assert.throws(() => checkNumbers(given(flag)), message);
});

test('The defaults and sensible numbers are accepted.', () => {
  assert.doesNotThrow(() => checkNumbers(given()));
  assert.doesNotThrow(() => checkNumbers(given('--probe-period-seconds=0.5', '--history-minutes=60')));
});
