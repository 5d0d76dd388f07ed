import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import { parseAddress, parseLenientAddress } from './address.ts';
import { parseLenientNetwork, parseNetwork } from './network.ts';
import { spellingsOf } from './testing/spellings.ts';

const TEXTS = ['0.0.0.0', '10.0.0.1', '255.255.255.255', '::', '::1', '2001:db8::8:800:200c:417a', 'ff02::2', '1::8'];

test('Every spelling of an address is parsed to the same address, which is printed in its canonical form.', () => {
  for (const text of TEXTS) {
    const address = parseAddress(text);
    assert.ok(address !== undefined, text);
    assert.equal(address.toString(), text);
    for (const spelling of spellingsOf(address)) {
      assert.notEqual(isIP(spelling), 0, spelling);
      assert.ok(parseAddress(spelling)?.equals(address), `${spelling} is ${text}`);
    }
  }
});

const NONE = [
  ['', '1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.000.000.001', '1.2.3.4.5', '256.0.0.1', '1.2.3.4 '],
  [
    'fe80::1%eth0',
    '::1%1',
    '[::1]',
    ':::',
    ':1',
    '1:',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8::',
  ],
  ['::ffff:127.1', '::ffff:127.0.0.01', '1:2:3:4:5:6:7:1.2.3.4', 'localhost', '①②⑦.0.0.1', `${'0'.repeat(5000)}::`],
].flat();

test('Forms that only some parsers accept are rejected: short forms, octal numbers, zones, brackets.', () => {
  for (const text of NONE) assert.equal(parseAddress(text), undefined, text);
});

test('Only the lenient parser accepts leading zeros, and it reads the numbers as decimal.', () => {
  assert.equal(parseLenientAddress('0127.000.0.01')?.toString(), '127.0.0.1');
  assert.equal(parseLenientAddress('::ffff:010.0.0.1')?.toString(), '::ffff:a00:1');
  assert.equal(parseLenientAddress('127.1'), undefined);
  assert.equal(parseLenientAddress('1'.repeat(1_000_000)), undefined);
  assert.equal(parseLenientNetwork('010.0.0.0/08')?.toString(), '10.0.0.0/8');
  assert.equal(parseNetwork('10.0.0.0/08'), undefined);
});

test('A network has a first address, and contains the addresses that begin with the same bits.', () => {
  const network = parseNetwork('10.9.8.7/20');
  assert.deepEqual([`${network?.first}`, `${network}`], ['10.9.0.0', '10.9.8.7/20']);
  for (const [text, contains] of [
    ['10.9.15.255', true],
    ['10.9.16.0', false],
    ['::ffff:10.9.8.7', false],
  ] as const) {
    const address = parseAddress(text);
    assert.equal(address && network?.contains(address), contains, text);
  }
  for (const text of [
    '10.0.0.0',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '/8',
    'fe80::1%eth0/64',
    '1/2/3',
  ]) {
    assert.equal(parseNetwork(text), undefined, text);
  }
});
