import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PAGE, runPage } from './quickstart.ts';
import { normalized, parseSteps } from './support/documentation-page.ts';
import { whyNoKubectl } from './support/kubectl.ts';

test('Every command of the quickstart prints the output on the page.', { skip: whyNoKubectl() ?? false }, async () => {
  const page = readFileSync(PAGE, 'utf8');
  const steps = parseSteps(page);
  assert.ok(steps.length > 10);
  const outputs = await runPage(page);
  for (const [i, { command, output }] of steps.entries()) {
    assert.equal(normalized(outputs[i] ?? ''), normalized(output), `$ ${command}`);
  }
});
