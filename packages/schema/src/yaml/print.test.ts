import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { decodeYaml } from './decode.ts';
import { printYaml } from './print.ts';

const file = join(import.meta.dirname, '../../recorded/yaml.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as Array<{ scalar?: string; block?: string; document?: string }>;

test('a printed string is read as the same string, as a value and as a key', () => {
  const wrong: string[] = [];
  for (const { scalar, block, document } of cases) {
    const text = scalar ?? block ?? document ?? '';
    if (text.includes('\0') || text.includes('\ufffe')) continue;
    const written = printYaml({ value: text, list: [text], [text]: 1 });
    for (const read of [(yaml: string) => decodeYaml(Buffer.from(yaml)).value, load]) {
      try {
        assert.deepEqual(read(written), { value: text, list: [text], [text]: 1 });
      } catch {
        wrong.push(written);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

const read = (text: string) => decodeYaml(Buffer.from(text)).value;

test('lists and maps are printed in block style', () => {
  const value = {
    none: [],
    nothing: {},
    spec: {
      ports: [
        { name: 'http', port: 80 },
        { port: 443, tls: { a: [[1, [2]], []] } },
      ],
      args: ['-v', '--level=2'],
    },
    text: 'one\ntwo\n',
    yes: true,
    'on call': null,
  };
  const text = [
    'none: []',
    'nothing: {}',
    'spec:',
    '  ports:',
    '    - name: http',
    '      port: 80',
    '    - port: 443',
    '      tls:',
    '        a:',
    '          - - 1',
    '            - - 2',
    '          - []',
    '  args:',
    '    - -v',
    '    - --level=2',
    'text: |',
    '  one',
    '  two',
    "'yes': true",
    'on call: null',
    '',
  ].join('\n');
  assert.equal(printYaml(value), text);
  assert.deepEqual(read(text), value);
});

test('only strings that some parser would not read as a string are quoted', () => {
  const quoted = [
    '1:30',
    '2001-01-01',
    '0777',
    '08',
    '1_0',
    '1e3',
    '.5',
    '+1',
    '=',
    '<<',
    'y',
    'Off',
    '~',
    '-',
    '- a',
    '---',
  ];
  for (const text of quoted) assert.equal(printYaml({ text }), `text: '${text}'\n`);
  const plain = [
    '10.0.0.1',
    'v1',
    '3Gi',
    '100m',
    'a:b',
    'a#b',
    "it's",
    'app.example.com/name',
    '-Xmx1g',
    '1a',
    'ünï',
    '😀',
  ];
  for (const text of plain) assert.equal(printYaml({ text }), `text: ${text}\n`);
});

test('lines keep their line ends and surrounding spaces', () => {
  const texts = [
    'a\n',
    'a\nb',
    'a\n\n',
    '\na',
    '\n',
    ' a\nb',
    'a\n b\n',
    'a\n\n\nb\n\n\n',
    'a\n ',
    'a \nb \n',
    '\ta\nb',
    'a\r\nb',
    'a\n\tb',
  ];
  for (const text of texts) {
    const value = { text, list: [text, [text], { text }], after: 1 };
    assert.deepEqual(read(printYaml(value)), value, JSON.stringify(text));
    assert.deepEqual(load(printYaml(value)), value, JSON.stringify(text));
  }
});

test('printed numbers are read as the same numbers', () => {
  const numbers = [0, -1, 1.5, 1e21, -1e-7, 1.5e300, 9223372036854775807n];
  assert.deepEqual(read(printYaml(numbers)), numbers);
  assert.equal(printYaml(1e21), '1.e+21\n');
  assert.equal(printYaml(-0), '-0.0\n');
});

test('strings and keys of any length are printed', () => {
  const long = 3 << 20;
  const value = {
    letters: 'x'.repeat(long),
    digits: '1'.repeat(long),
    lines: 'some words\n'.repeat(long / 11),
    ends: `a${'\n'.repeat(long / 3)}`,
    [`key ${'k'.repeat(5000)}`]: { inside: [1] },
    [`${'k'.repeat(5000)}: `]: 1,
  };
  assert.deepEqual(read(printYaml(value)), value);
});
