import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from './semaphore.ts';

test('A limited number of operations run at a time, the others wait in order, and a failure frees its permit.', async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const works = gates.map((gate, i) =>
    semaphore.run(() => {
      begun.push(i);
      return gate.promise;
    }),
  );
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.reject(new Error('failed'));
  await assert.rejects(works[1] as Promise<void>, /failed/);
  gates[0]?.resolve();
  await works[0];
  gates[2]?.resolve();
  await works[2];
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  gates[3]?.resolve();
  gates[4]?.resolve();
  await Promise.all([works[3], works[4]]);
  assert.equal(await semaphore.run(async () => 'free again'), 'free again');
});
