import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

const SEED = 7;
const ROUNDS = 600;
const MOST_MEMORY_BYTES = 1 << 30;

test(`${ROUNDS} inputs for each door are taken or refused, and nothing else (seed ${SEED})`, () => {
  const { findings, taken } = fuzz({ seed: SEED, goesOn: (round) => round < ROUNDS });
  const told = findings.map(
    ({ target, round, input, error }) =>
      `${target}, round ${round}: ${(error as Error).stack}\n${input.toString('latin1').slice(0, 500)}`,
  );
  assert.equal(told.join('\n\n'), '');
  for (const { name } of targets) assert.ok((taken[name] ?? 0) > ROUNDS / 100, `${name}: ${taken[name]} were taken`);
  assert.ok(process.memoryUsage().rss < MOST_MEMORY_BYTES);
});
