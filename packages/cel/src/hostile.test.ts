import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Environment } from './environment.ts';
import { intShape, listShape, objectShape, stringShape } from './types/shape.ts';
import { type Data, fromData } from './values/data.ts';

const text = { name: 'text', shape: stringShape(3_000_000) };
const other = { name: 'other', shape: stringShape(3_000_000) };
const list = { name: 'list', shape: listShape(stringShape(1_000_000), 300_000) };
const self = objectShape(
  'self',
  new Map([
    ['text', text],
    ['other', other],
    ['list', list],
  ]),
);
const environment = new Environment({ self, oldSelf: self });

/** The cost limit of one evaluation in Kubernetes, which estimates it at a tenth of a second. */
const LIMIT = 1_000_000;
/** The CPU time limit, also for slow machines; an expression that hangs would exceed any limit. */
const LIMIT_MS = 20_000;

function takesNoTime(what: string, run: () => void): void {
  const { user, system } = process.cpuUsage();
  run();
  const spent = process.cpuUsage({ user, system });
  const ms = (spent.user + spent.system) / 1000;
  assert.ok(ms < LIMIT_MS, `${what.slice(0, 100)} took ${ms.toFixed(0)} ms`);
}

/** A failure is a valid result, too. */
function evaluate(rule: string, data: Data): void {
  const compiled = environment.compile(rule);
  assert.ok(compiled.kind === 'compiled', compiled.kind === 'rejected' ? compiled.text : '');
  const value = fromData(data, self);
  const before = fromData(structuredClone(data), self);
  takesNoTime(rule, () => {
    const variables = new Map([
      ['self', value],
      ['oldSelf', before],
    ]);
    assert.ok(['value', 'failed'].includes(compiled.program.run(variables, LIMIT).kind));
  });
}

const RANGE = 'lists.range(100000)';

/** A list whose items are the same two lists, sixty times over. */
const DOUBLED = `[1]${'.map(a, [a, a])'.repeat(60)}`;

/** Rules, and texts that would make a naive implementation hang. */
const HOSTILE: ReadonlyArray<readonly [rule: string, text: string]> = [
  ["self.text.matches('^(a+)+$')", `${'a'.repeat(1e6)}!`],
  ["self.text.matches('(x+x+)+y')", 'x'.repeat(1e6)],
  ["self.text.matches('[a-z]{1,1000}[0-9]$')", 'a'.repeat(1e6)],
  ["self.text.find('[a-z]{1,1000}[0-9]$') == ''", 'a'.repeat(1e6)],
  ["self.text.findAll('([a-z]+.){1,200}[!?]').size() == 1", `${'word '.repeat(4e4)}!`],
  ["'1'.matches(self.text)", 'a{1000}'.repeat(900)],
  ["'1'.matches(self.text)", '(a*)*'.repeat(2e4)],
  ["'1'.matches(self.text)", '('.repeat(5e5)],
  ["self.text.replace('', self.text) == ''", 'x'.repeat(3e5)],
  ["self.text.replace('x', self.text) == ''", 'x'.repeat(3e5)],
  [`'${'%s'.repeat(100)}'.format([${'self.text, '.repeat(100)}]) == ''`, 'x'.repeat(3e6)],
  [`${RANGE}.all(i, self.text.size() > 5)`, 'é'.repeat(1e6)],
  [`${RANGE}.all(i, self.text.charAt(i) != '')`, '😀'.repeat(5e5)],
  [`${RANGE}.all(i, self.text.indexOf('x', i) < 0)`, '😀'.repeat(5e5)],
  [`${RANGE}.all(i, self.text != 'a')`, 'é'.repeat(1e6)],
  [`${RANGE}.all(i, self.other in [self.text])`, 'x'.repeat(1e6)],
  [`${RANGE}.all(i, self == oldSelf)`, 'x'.repeat(1e6)],
  [`${RANGE}.all(i, sets.equivalent(self.list, oldSelf.list))`, 'x'],
  [`${RANGE}.all(i, self.list == oldSelf.list)`, 'x'],
  ["url(self.text).getEscapedPath() == ''", `/${' '.repeat(1e6)}`],
  [
    "optional.of(url(self.text)).optMap(u, lists.range(1000).all(i, u.getEscapedPath() == '')).hasValue()",
    '/'.repeat(1e5),
  ],
  ["self.text.split('').distinct().size() == 3", 'xy'.repeat(1e5)],
  ['quantity(self.text).isInteger()', '1'.repeat(1e6)],
  ['isSemver(self.text)', `1.0.0-${'1.'.repeat(5e5)}`],
  ["duration(self.text) == duration('1s')", `${'1'.repeat(1e6)}s`],
  ['int(self.text) == 1', '1'.repeat(1e6)],
  ["timestamp('2020-01-01T00:00:00Z').getHours(self.text) == 1", 'A'.repeat(1e6)],
  ['self.text.trim() == self.text', ' '.repeat(1e6)],
  ['format.qualifiedName().validate(self.text).hasValue()', 'a'.repeat(2e4)],
  ['isIP(self.text) || isCIDR(self.text)', '1.'.repeat(1e6)],
  [`${DOUBLED} == ${DOUBLED}`, ''],
  [`'%s'.format([${DOUBLED}]) == ''`, ''],
  [`sets.contains(${DOUBLED}, ${DOUBLED})`, ''],
  [`${DOUBLED} in [${DOUBLED}]`, ''],
  [`[${DOUBLED}].distinct().size() == 1`, ''],
];

describe('No rule and no value blocks the server', () => {
  for (const [rule, hostile] of HOSTILE) {
    test(`${rule.slice(0, 60)}, of ${hostile.slice(0, 10)}`, () => {
      const items = Array.from({ length: 3000 }, (_, i) => `item ${i}`);
      evaluate(rule, { text: hostile, other: hostile, list: items });
    });
  }

  for (const [what, rule] of Object.entries({
    'brackets within brackets': `${'('.repeat(1e5)}true${')'.repeat(1e5)}`,
    'lists within lists': `${'['.repeat(1e5)}1`,
    negations: `${'!'.repeat(1e5)}true`,
    'a sum without end': `1${' + 1'.repeat(1e5)} > 0`,
    'conditions without end': `true${' && true'.repeat(1e5)}`,
    'choices within choices': 'true ? '.repeat(1e5),
    'a long way down': `self${'.text'.repeat(1e5)}`,
    'loops within loops': `${'self.list.all(x, '.repeat(1000)}true${')'.repeat(1000)}`,
    'a text that does not end': `'${'\\\\'.repeat(5e5)}`,
    'a long text': `'${'x'.repeat(1e6)}' == ''`,
    'types that double': `[1]${'.map(a, {a: a})'.repeat(60)} == []`,
    'types that double in a list': `[1]${'.map(a, [{a: a}, {a: a}])'.repeat(60)} == []`,
    'comparisons without end': `${'1 == 1 && '.repeat(9000)}true`,
    'loops one after the other': `${'[1].map(x, [x]) == [] && '.repeat(3000)}true`,
    'calls within calls': `${'size('.repeat(1e5)}1`,
  })) {
    test(`an expression of ${what} is parsed or rejected quickly`, () => {
      takesNoTime(what, () => {
        const compiled = environment.compile(rule);
        if (compiled.kind === 'compiled') assert.ok(compiled.program.estimate.max >= 0);
        else assert.ok(compiled.text.length > 0);
      });
    });
  }

  test('an expression that ends in the middle of a type is rejected', () => {
    for (const rule of ['b{', 'b{&}', 'a.b{c', 'a.b{c:', "b'' + b{&}", 'b{?']) {
      assert.equal(environment.compile(rule).kind, 'rejected', rule);
    }
  });

  test('adding, joining or comparing items that are null or of several types fails', () => {
    const rules = ['.sum() == 1', '.max() > 0', '.isSorted()', '.sort().size() == 2', '.map(x, x + 1).size() == 2'];
    const shape = listShape(intShape, 10);
    for (const rule of rules) {
      const compiled = new Environment({ self: shape }).compile(`self${rule}`);
      assert.ok(compiled.kind === 'compiled');
      const outcome = compiled.program.run(new Map([['self', fromData([1, null], shape)]]), LIMIT);
      assert.ok(outcome.kind === 'failed' || typeof outcome.value === 'boolean', rule);
    }
  });

  test('names of Object.prototype are ordinary names', () => {
    const shape = objectShape('self', new Map([['constructor', { name: 'constructor', shape: stringShape(9) }]]));
    const found = new Environment({ self: shape }).compile('has(self.constructor)');
    assert.ok(found.kind === 'compiled');
    const outcome = found.program.run(new Map([['self', fromData({}, shape)]]), LIMIT);
    assert.deepEqual(outcome.kind === 'value' && outcome.value, false);
    for (const name of ['__proto__', 'toString', 'hasOwnProperty']) {
      assert.equal(new Environment({ self: shape }).compile(`self.${name} == 'x'`).kind, 'rejected');
    }
  });
});
