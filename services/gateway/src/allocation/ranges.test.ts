import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressRange, drawPlace } from './ranges.ts';

test('a range excludes the network address and the broadcast address', () => {
  const range = new AddressRange('10.0.5.7/24');
  assert.deepEqual(
    [range.text, range.size, range.at(0), range.at(253)],
    ['10.0.5.0/24', 254, '10.0.5.1', '10.0.5.254'],
  );
  assert.deepEqual(
    ['10.0.5.0', '10.0.5.1', '10.0.5.255'].map((ip) => range.isUsable(ip)),
    [false, true, false],
  );
  assert.deepEqual(
    ['10.0.4.255', '10.0.5.255', 'fd00::1'].map((ip) => range.contains(ip)),
    [false, true, false],
  );
});

test('IPv6 ranges are supported, with addresses in their short form', () => {
  const range = new AddressRange('fd00:0:0:10::/112');
  assert.deepEqual([range.at(0), range.at(0xfe), range.size], ['fd00:0:0:10::1', 'fd00:0:0:10::ff', 65535]);
  assert.ok(range.contains('fd00::10:0:0:0:ffff') && !range.contains('fd00::11:0:0:0:1'));
});

test('an invalid range is rejected', () => {
  for (const wrong of ['10.0.0.0', '10.0.0.0/31', '10.0.0.0/x', 'fd00::/48', 'services/16', '']) {
    assert.throws(() => new AddressRange(wrong), /--service-cluster-ip-range/);
  }
});

test('every offset is allocated once, the reserved ones last', () => {
  const taken = new Set<number>();
  const order: number[] = [];
  for (;;) {
    const place = drawPlace(40, 16, (one) => taken.has(one));
    if (place === undefined) break;
    order.push(place);
    taken.add(place);
  }
  assert.equal(taken.size, 40);
  assert.ok(order.slice(0, 24).every((place) => place >= 16));
});
