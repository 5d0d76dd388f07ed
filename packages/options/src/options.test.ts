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

test('An option that is not set has its default.', () => {
  assert.deepEqual(readOptions(table, [], {}), { dataDir: '/data', workers: 1, targets: [], quick: false, secret: '' });
});

test('A value follows its name or an equals sign.', () => {
  const options = readOptions(table, ['--data-dir', '/x', '--workers=3', '--targets=a,b', '--quick'], {});
  assert.deepEqual(options, { dataDir: '/x', workers: 3, targets: ['a', 'b'], quick: true, secret: '' });
});

test('Environment variables are read, also under a second name, and a flag takes precedence.', () => {
  const env = { TIDEGATE_DATA_DIR: '/e', SECRET: 's' };
  assert.equal(readOptions(table, [], env).dataDir, '/e');
  assert.equal(readOptions(table, [], env).secret, 's');
  assert.equal(readOptions(table, ['--data-dir=/f'], env).dataDir, '/f');
});

test('The error for an unknown option suggests the closest name.', () => {
  assert.throws(() => readOptions(table, ['--worker=1'], {}), /unknown option --worker; did you mean --workers\?/);
});

test('A name of Object.prototype is an unknown option.', () => {
  assert.throws(() => readOptions(table, ['--constructor=1'], {}), /unknown option --constructor/);
});

test('A value that is not a number is rejected.', () => {
  assert.throws(() => readOptions(table, ['--workers=many'], {}), /--workers must be a number, not "many"/);
});

test('A missing value is rejected.', () => {
  assert.throws(() => readOptions(table, ['--data-dir'], {}), /--data-dir needs a value: where/);
});

test('The error for a missing required option names its flag and its variable.', () => {
  const required = { name: { type: 'string', required: true, help: 'who' } } as const satisfies OptionTable;
  assert.throws(() => readOptions(required, [], {}), /--name \(or TIDEGATE_NAME\) is required: who/);
});

test('Help shows each option, with its default if it has one.', () => {
  const help = helpText(table);
  assert.match(help, /--data-dir TEXT +where \(default \/data\)/);
  assert.match(help, /--quick +soon$/m);
});

test('The values of a list option that is given several times are combined.', () => {
  assert.deepEqual(readOptions(table, ['--targets=a,b', '--targets', 'c'], { TIDEGATE_TARGETS: 'x' }).targets, [
    'a',
    'b',
    'c',
  ]);
});

test('Operands may be anywhere among the options.', () => {
  assert.deepEqual(splitOperands(table, ['--quick', 'file', '--data-dir', 'dir', '--workers=2', '-']), {
    operands: ['file', '-'],
    flags: ['--quick', '--data-dir', 'dir', '--workers=2'],
  });
});
