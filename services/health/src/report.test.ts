import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MethodDefinition } from '@grpc/grpc-js';
import { type ChecksResponse, health } from '@tidegate/wire';
import { Replica } from './probes/replica.ts';
import { reportOf } from './report.ts';
import { answer, answered, THRESHOLDS } from './testing/answers.ts';

test('Values of a received message are numbers in the data, and zeros are included.', () => {
  const { responseSerialize, responseDeserialize } = health.checks as MethodDefinition<object, ChecksResponse>;
  const load = {
    requestsPerSecond: 0,
    loopDelayMs: 1.5,
    residentBytes: 2 ** 40,
    watchers: 0,
    hasLag: false,
    lagMs: 0,
    uptimeSeconds: 7,
  };
  const one = new Replica('there:1', THRESHOLDS);
  one.observe(answered(responseDeserialize(responseSerialize(answer({ load, revision: 2 ** 40 })))), 0);
  const [reported] = JSON.parse(JSON.stringify(reportOf([one], 0))).parts;
  assert.deepEqual(reported.load, load);
  assert.deepEqual([reported.revision, reported.state], [2 ** 40, 'ok']);
});
