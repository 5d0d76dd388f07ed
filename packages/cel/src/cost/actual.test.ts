import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Environment } from '../environment.ts';
import { intShape, listShape, objectShape, stringShape } from '../types/shape.ts';
import type { Shape } from '../types/type.ts';
import { fromData } from '../values/data.ts';

const fields: Readonly<Record<string, Shape>> = {
  text: stringShape(400),
  numbers: listShape(intShape, 10),
  names: listShape(stringShape(80), 10),
};
const self = objectShape(
  'self',
  new Map(Object.entries(fields).map(([name, shape]) => [name, { name, shape }] as const)),
);
const environment = new Environment({ self });
const names = ['cherry', 'apple', 'banana', 'date', 'elder'];
const variables = new Map([['self', fromData({ text: 'ab'.repeat(25), numbers: [3, 1, 2, 5, 4], names }, self)]]);

/** The cost limit of one expression in kube-apiserver. */
const LIMIT = 1_000_000;

function run(rule: string) {
  const compiled = environment.compile(rule);
  assert.ok(compiled.kind === 'compiled', compiled.kind === 'rejected' ? compiled.text : '');
  return compiled.program.run(variables, LIMIT);
}

/** Expected costs are those of kube-apiserver 1.35.4. */
function testCosts(title: string, costs: Readonly<Record<string, number>>): void {
  test(title, () => {
    const actual = Object.keys(costs).map((rule) => [rule, run(rule).cost]);
    assert.deepEqual(Object.fromEntries(actual), costs);
  });
}

describe('Actual costs of calls', () => {
  testCosts('Sorting costs two for each pair of items, and more for pairs of texts.', {
    'lists.range(0).sort().size() == 0': 24,
    'self.numbers.sort().size() == 5': 65,
    'self.names.sort().size() == 5': 67,
  });

  test('Sorting by keys costs more for keys that are texts, whatever the items are.', () => {
    const byNumbers = run('self.names.sortBy(n, n.size()).size() == 5').cost;
    const byTexts = run('self.numbers.sortBy(n, string(n)).size() == 5').cost;
    assert.equal(byTexts - byNumbers, 2);
  });

  testCosts('The search for distinct items costs two for each pair, and more for pairs of texts.', {
    'self.numbers.distinct().size() == 5': 65,
    'self.names.distinct().size() == 5': 67,
  });

  testCosts('Flattening costs the size of the list for each level.', {
    'dyn(self.numbers).flatten(0).size() == 5': 16,
    'dyn(self.numbers).flatten(1).size() == 5': 21,
    'dyn(self.numbers).flatten(7).size() == 5': 51,
  });

  testCosts('Calls that copy or create a list cost its items.', {
    'lists.range(5).size() == 5': 18,
    'lists.range(-1).size() == 0': 13,
    'self.numbers.slice(1, 3).size() == 2': 17,
    'self.numbers.reverse().size() == 5': 20,
  });

  testCosts('Quoting costs the reading of the text.', { 'strings.quote(self.text).size() == 52': 9 });

  test('A rule that sorts too many items fails at the cost limit.', () => {
    const outcome = run('lists.range(800).sort().size() == 800');
    assert.equal(outcome.kind === 'failed' && outcome.error.message, 'operation cancelled: actual cost limit exceeded');
  });
});
