import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PAGE, runPage } from './quickstart.ts';
import { whyNoKubectl } from './support/kubectl.ts';
import { normalized, stepsOf } from './support/page.ts';

test('every command of the quickstart prints what the page says', { skip: whyNoKubectl() ?? false }, async () => {
  const page = readFileSync(PAGE, 'utf8');
  const steps = stepsOf(page);
  assert.ok(steps.length > 10);
  const outputs = await runPage(page);
  for (const [i, { command, output }] of steps.entries()) {
    assert.equal(normalized(outputs[i] ?? ''), normalized(output), `$ ${command}`);
  }
});
