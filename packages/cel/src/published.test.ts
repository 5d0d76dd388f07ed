import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Environment } from './environment.ts';
import { parse } from './syntax/parser.ts';
import { type Fact, valueOfFact } from './testing/facts.ts';
import {
  boolShape,
  bytesShape,
  doubleShape,
  dynShape,
  intShape,
  listShape,
  mapShape,
  stringShape,
} from './types/shape.ts';
import type { Shape } from './types/type.ts';
import { isEqual } from './values/equal.ts';
import { Meter } from './values/meter.ts';

interface Case {
  readonly name: string;
  readonly expression: string;
  readonly variables?: Record<string, Fact>;
  readonly types?: Record<string, string>;
  readonly value?: Fact;
  readonly isUnchecked?: boolean;
  readonly isWrong?: boolean;
}

const cases: Case[] = JSON.parse(readFileSync(new URL('./testing/published.json', import.meta.url), 'utf8'));

const SHAPES: Record<string, Shape> = {
  bool: boolShape,
  bytes: bytesShape(100),
  double: doubleShape,
  int: intShape,
  string: stringShape(100),
};

function shapeOf(type = 'dyn'): Shape {
  const [, kind, inner = ''] = /^(list|map)\((?:[^,]*, )?(.*)\)$/.exec(type) ?? [];
  if (kind === 'list') return listShape(shapeOf(inner), 100);
  if (kind === 'map') return mapShape(shapeOf(inner), 100);
  return SHAPES[type] ?? dynShape;
}

/** The result of a case. */
function outcomeOf({ expression, variables = {}, types = {}, value, isUnchecked, isWrong }: Case): string {
  const names = new Set([...Object.keys(variables), ...Object.keys(types)]);
  const shapes = Object.fromEntries([...names].map((name) => [name, shapeOf(types[name])]));
  const compiled = new Environment(shapes, { mixesTypes: true }).compile(expression);
  if (compiled.kind === 'rejected') {
    // some errors that are expected at run time are found by the checker
    return isWrong || (isUnchecked && 'expression' in parse(expression)) ? 'as expected' : compiled.text;
  }
  const values = new Map(Object.entries(variables).map(([name, fact]) => [name, valueOfFact(fact)]));
  const outcome = compiled.program.run(values, 1_000_000);
  if (outcome.kind === 'failed') return isWrong ? 'as expected' : outcome.error.message;
  if (isWrong) return 'a value, and no failure';
  const wanted = valueOfFact(value as Fact);
  const bothNaN = Number.isNaN(wanted) && Number.isNaN(outcome.value);
  return bothNaN || isEqual(wanted, outcome.value, new Meter(1)) ? 'as expected' : `another value`;
}

/** The reasons for different results. */
const QUOTED = 'kube-apiserver 1.35 does not accept names in backticks either';
const FORMAT = 'kube-apiserver 1.35 has the first version of format, which prints lists and exponents differently';
const INDEX = 'a position after the end is -1 in kube-apiserver 1.35';
const BINDINGS = 'kube-apiserver 1.35 has no cel.bind';
const FORMATS = [
  'scientific notation formatting clause',
  'default precision for scientific notation',
  'positive infinity support for scientific notation',
  'negative infinity support for scientific notation',
  'NaN support for decimal',
  'positive infinity support for decimal',
  'negative infinity support for decimal',
  'positive infinity support for fixed-point',
  'negative infinity support for fixed-point',
  'list support for string',
  'map support for string',
  'map support (all key types)',
  'dyntype support for scientific notation',
  'dyntype NaN/infinity support',
  'dyntype support for lists',
  'dyntype support for maps',
  'scientific notation formatting clause in a string variable',
];
const DIFFERENT: Readonly<Record<string, string>> = Object.fromEntries([
  ...['slash', 'dash', 'dot'].flatMap((what) => [
    [`fields/quoted_map_fields/field_access_${what}`, QUOTED],
    [`fields/quoted_map_fields/has_field_${what}`, QUOTED],
  ]),
  ...FORMATS.map((name) => [`string_ext/format/${name}`, FORMAT]),
  ...cases.filter(({ name }) => name.startsWith('bindings_ext/')).map(({ name }) => [name, BINDINGS]),
  ['string_ext/value_errors/indexof_out_of_range', INDEX],
  ['string_ext/value_errors/lastindexof_out_of_range', INDEX],
]);

describe('The published cases of CEL', () => {
  test('have the published results, except for known differences', () => {
    const wrong = cases
      .map((one) => ({ one, outcome: outcomeOf(one) }))
      .filter(({ outcome }) => outcome !== 'as expected');
    const unknown = wrong.filter(({ one }) => !Object.hasOwn(DIFFERENT, one.name));
    assert.deepEqual(
      unknown.map(({ one, outcome }) => `${one.name}: ${one.expression}: ${outcome}`),
      [],
    );
    assert.equal(wrong.length, Object.keys(DIFFERENT).length);
    assert.ok(cases.length > 700, 'cases were lost');
  });
});
