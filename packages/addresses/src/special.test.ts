import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from './address.ts';
import { carriedBy, isSpecial, type Special, specialsOf, unmapped } from './special.ts';
import { formsOf } from './testing/spellings.ts';

const of = (text: string) => parseAddress(text) ?? assert.fail(text);

const SPECIAL: ReadonlyArray<readonly [text: string, ...specials: Special[]]> = [
  ['0.0.0.0', 'unspecified', 'this network'],
  ['0.1.2.3', 'this network'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['224.0.0.1', 'link-local multicast', 'multicast'],
  ['224.0.1.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['100.100.100.200', 'cloud metadata'],
  ['168.63.129.16', 'cloud metadata'],
  ['192.0.0.192', 'cloud metadata'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['fe80::1', 'link-local'],
  ['febf:ffff::1', 'link-local'],
  ['ff02::1', 'link-local multicast', 'multicast'],
  ['ff12::1', 'link-local multicast', 'multicast'],
  ['ff05::2', 'multicast'],
  ['fd00:ec2::254', 'cloud metadata'],
  ['fd20:ce::254', 'cloud metadata'],
  ['fd00:42::42', 'cloud metadata'],
  ['64:ff9b:1::7f00:1', 'local-use translation'],
];
const USUAL = ['1.0.0.1', '10.0.0.1', '100.64.0.1', '126.255.255.255', '128.0.0.1', '169.253.0.1', '192.168.1.1'];
const USUAL_6 = ['::2', 'fd00::7', 'fe00::1', 'fec0::1', '2001:db8::1', '64:ff9b:2::1', 'fd00:ec2:1::254'];

test('The table gives every reason why an address is special, and none for ordinary addresses.', () => {
  for (const [text, ...specials] of SPECIAL) assert.deepEqual([...specialsOf(of(text))], specials, text);
  for (const text of [...USUAL, ...USUAL_6]) assert.equal(isSpecial(of(text)), false, text);
});

test('The IPv4 address is found in every form of IPv6 address that contains one.', () => {
  for (const text of [...USUAL, '127.0.0.1', '0.1.2.3', '255.255.255.255']) {
    for (const [form, address] of formsOf(of(text))) assert.equal(carriedBy(address)?.toString(), text, form);
    assert.equal(carriedBy(of(text)), undefined);
  }
  for (const text of ['::', '::1', 'fd00::7f00:1', '2001:db8::7f00:1', '64:ff9b:2::7f00:1']) {
    assert.equal(carriedBy(of(text)), undefined, text);
  }
});

test('Only the mapped form is treated as its IPv4 address, as Kubernetes does in objects.', () => {
  for (const [form, address] of formsOf(of('127.0.0.1'))) {
    assert.equal(unmapped(address).toString() === '127.0.0.1', form === 'mapped', form);
  }
});
