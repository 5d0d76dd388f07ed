import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowedAddresses } from './allowed-addresses.ts';

const CLOSED = [
  '127.0.0.1',
  '127.9.9.9',
  '::1',
  '::ffff:127.0.0.1',
  '169.254.169.254',
  'fe80::1',
  '0.0.0.0',
  '224.0.0.1',
];

for (const address of CLOSED) {
  test(`${address} is closed`, () => {
    assert.throws(() => new AllowedAddresses([]).checked(address), { code: 400, message: 'address not allowed' });
  });
}

for (const address of ['10.0.0.7', '192.168.1.1', '8.8.8.8', 'fd00::7', '2001:db8::1']) {
  test(`${address} is open`, () => assert.equal(new AllowedAddresses([]).checked(address), address));
}

test('an option opens exactly its own range', () => {
  const addresses = new AllowedAddresses(['127.0.0.0/8', '::1/128']);
  assert.equal(addresses.checked('127.0.0.1'), '127.0.0.1');
  assert.equal(addresses.checked('::1'), '::1');
  assert.throws(() => addresses.checked('169.254.169.254'), { code: 400 });
  assert.throws(() => new AllowedAddresses(['127.0.0.1']), /--proxy-allow-addresses/);
});

test('ambiguous spellings of addresses are rejected', () => {
  for (const address of ['127.1', '0177.0.0.1', '2130706433', '127.000.000.001', 'localhost']) {
    assert.throws(() => new AllowedAddresses([]).checked(address), { code: 400 });
  }
});

test('a name is resolved once, and one forbidden address rejects it', async () => {
  let asked = 0;
  const answers = [['10.0.0.1'], ['10.0.0.1', '127.0.0.1'], []];
  const addresses = new AllowedAddresses([], async () => answers[asked++] as string[]);
  assert.equal(await addresses.of('node-1'), '10.0.0.1');
  assert.equal(asked, 1);
  await assert.rejects(addresses.of('node-1'), { message: 'address not allowed' });
  await assert.rejects(addresses.of('node-1'), { message: 'no addresses for hostname "node-1"' });
});
