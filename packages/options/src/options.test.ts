import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helpText, type OptionTable, readOptions, splitOperands } from './options.ts';

const table = {
  'data-dir': { type: 'string', default: '/data', help: 'where' },
  workers: { type: 'number', default: 1, help: 'how many' },
  targets: { type: 'list', help: 'whom' },
  quick: { type: 'boolean', help: 'soon' },
  secret: { type: 'string', help: 'what', env: 'SECRET' },
} as const satisfies OptionTable;

test('What is not given has its default.', () => {
  assert.deepEqual(readOptions(table, [], {}), { dataDir: '/data', workers: 1, targets: [], quick: false, secret: '' });
});

test('A value follows its name or an equals sign.', () => {
  const options = readOptions(table, ['--data-dir', '/x', '--workers=3', '--targets=a,b', '--quick'], {});
  assert.deepEqual(options, { dataDir: '/x', workers: 3, targets: ['a', 'b'], quick: true, secret: '' });
});

test('The environment is read, under a second name, too, and the flag wins.', () => {
  const env = { TIDEGATE_DATA_DIR: '/e', SECRET: 's' };
  assert.equal(readOptions(table, [], env).dataDir, '/e');
  assert.equal(readOptions(table, [], env).secret, 's');
  assert.equal(readOptions(table, ['--data-dir=/f'], env).dataDir, '/f');
});

test('An unknown option is refused with the nearest name.', () => {
  assert.throws(() => readOptions(table, ['--worker=1'], {}), /unknown option --worker; did you mean --workers\?/);
});

test('A name that every object has is unknown, too.', () => {
  assert.throws(() => readOptions(table, ['--constructor=1'], {}), /unknown option --constructor/);
});

test('A number that is none is refused.', () => {
  assert.throws(() => readOptions(table, ['--workers=many'], {}), /--workers must be a number, not "many"/);
});

test('A missing value is refused.', () => {
  assert.throws(() => readOptions(table, ['--data-dir'], {}), /--data-dir needs a value: where/);
});

test('A required option that is missing is named with its variable.', () => {
  const required = { name: { type: 'string', required: true, help: 'who' } } as const satisfies OptionTable;
  assert.throws(() => readOptions(required, [], {}), /--name \(or TIDEGATE_NAME\) is required: who/);
});

test('Help shows each option, and the default where there is one to know.', () => {
  const help = helpText(table);
  assert.match(help, /--data-dir TEXT +where \(default \/data\)/);
  assert.match(help, /--quick +soon$/m);
});

test('A list that is given several times is one list.', () => {
  assert.deepEqual(readOptions(table, ['--targets=a,b', '--targets', 'c'], { TIDEGATE_TARGETS: 'x' }).targets, [
    'a',
    'b',
    'c',
  ]);
});

test('What a command is about may stand anywhere among its options.', () => {
  assert.deepEqual(splitOperands(table, ['--quick', 'file', '--data-dir', 'dir', '--workers=2', '-']), {
    operands: ['file', '-'],
    flags: ['--quick', '--data-dir', 'dir', '--workers=2'],
  });
});
