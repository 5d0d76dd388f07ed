import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoNats } from '@tidegate/testkit';
import { measurePromises } from './measure-promises.ts';
import { promises } from './promises.ts';

test('A promise is measured on the systems that it needs.', { skip: (await whyNoNats()) ?? false }, async () => {
  const lines: string[] = [];
  const options = { only: 'revoked right|new quota', times: 1, json: '' };
  const { promises: measured } = await measurePromises(promises, options, (line) => lines.push(line));
  assert.deepEqual(
    measured.map(({ name, times }) => [name, times.length]),
    [
      ['a revoked right is denied by the other gateway', 1],
      ['a new quota is counted', 1],
    ],
  );
  assert.ok(measured.every(({ medianMs }) => medianMs > 0));
  assert.match(lines.at(-1) ?? '', /\| a new quota is counted +\| +1 \|/);
});
