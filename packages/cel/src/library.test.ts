import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Environment } from './environment.ts';

/** An expression that gives a text, and what kube-apiserver 1.35 says it comes to. */
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
  if (compiled.kind === 'refused') return `refused: ${compiled.text}`;
  const outcome = compiled.program.run(new Map(), 1_000_000);
  // a message is told without the blanks around it
  return outcome.kind === 'value' ? String(outcome.value).trim() : `failure: ${outcome.error.message}`;
}

describe('What expressions come to in kube-apiserver they come to here', () => {
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
