import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { Targets } from './targets.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('New parts are probed, removed parts are dropped, and the state of the others is kept.', async () => {
  let answer = ['10.0.0.1', '10.0.0.2'];
  let again = () => {};
  const removed: string[] = [];
  const targets = new Targets({
    names: ['fixed:1', 'dns:///parts:2'],
    credentials: credentials.createInsecure(),
    timeoutMs: 1000,
    removed: ({ address }) => removed.push(address),
    lookUp: async () => answer,
    setTimeoutFn: (work) => {
      again = work;
      return { unref() {} } as NodeJS.Timeout;
    },
  });
  const known = () => targets.states.map(({ address }) => address);
  assert.deepEqual(known(), ['fixed:1', 'dns:///parts:2'], 'a name that is not resolved yet is shown as unreachable');
  await settled();
  assert.deepEqual(known(), ['fixed:1', '10.0.0.1:2', '10.0.0.2:2']);
  const [, first] = targets.states;
  answer = ['10.0.0.1', '10.0.0.3'];
  again();
  await settled();
  assert.deepEqual(known(), ['fixed:1', '10.0.0.1:2', '10.0.0.3:2']);
  assert.equal(targets.states[1], first);
  assert.deepEqual(removed, ['dns:///parts:2', '10.0.0.2:2']);
  targets.close();
});
