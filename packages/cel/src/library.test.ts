import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Environment } from './environment.ts';

/** An expression of type string, with its result in kube-apiserver 1.35. */
interface LibraryCase {
  readonly library: string;
  readonly expression: string;
  readonly text?: string;
  readonly failure?: string;
}

const cases: LibraryCase[] = JSON.parse(readFileSync(new URL('./testing/library.json', import.meta.url), 'utf8'));
const environment = new Environment({});

function outcomeOf({ expression }: LibraryCase): string {
  const compiled = environment.compile(expression);
  if (compiled.kind === 'rejected') return `refused: ${compiled.text}`;
  const outcome = compiled.program.run(new Map(), 1_000_000);
  // messages are recorded without surrounding spaces
  return outcome.kind === 'value' ? String(outcome.value).trim() : `failure: ${outcome.error.message}`;
}

describe('Expressions have the results of kube-apiserver', () => {
  for (const [library, own] of Map.groupBy(cases, (one) => one.library)) {
    test(`${library}: ${own.length} expressions`, () => {
      const wanted = own.map(({ expression, text, failure }) => [expression, text ?? `failure: ${failure}`]);
      assert.deepEqual(
        own.map((one) => [one.expression, outcomeOf(one)]),
        wanted,
      );
    });
  }

  test('every library has cases', () => {
    const names = [...new Set(cases.map(({ library }) => library))];
    assert.ok(names.length >= 14 && cases.length >= 250, names.join());
  });
});
