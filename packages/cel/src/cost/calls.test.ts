import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Environment } from '../environment.ts';
import { bytesShape, intShape, listShape, objectShape, opaqueShape, stringShape } from '../types/shape.ts';
import type { Shape } from '../types/type.ts';

const fields: Readonly<Record<string, Shape>> = {
  text: stringShape(400),
  bytes: bytesShape(100),
  count: intShape,
  numbers: listShape(intShape, 10),
  names: listShape(stringShape(80), 10),
  lists: listShape(listShape(intShape, 5), 10),
};
const self = objectShape(
  'self',
  new Map(Object.entries(fields).map(([name, shape]) => [name, { name, shape }] as const)),
);
const environment = new Environment({ self, authorizer: opaqueShape('kubernetes.authorization.Authorizer') });

const UNBOUNDED = 2 ** 64;

/** The largest estimated cost of each rule. */
function estimates(rules: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    rules.map((rule) => {
      const compiled = environment.compile(rule);
      assert.ok(compiled.kind === 'compiled', compiled.kind === 'rejected' ? compiled.text : '');
      return [rule, compiled.program.estimate.max];
    }),
  );
}

/** Expected costs are those of kube-apiserver 1.35.4 for a schema with these sizes. */
function testCosts(title: string, costs: Readonly<Record<string, number>>): void {
  test(title, () => assert.deepEqual(estimates(Object.keys(costs)), costs));
}

describe('Estimated costs of calls', () => {
  testCosts('A test of an address range costs the comparison, and the reading of an address that is a text.', {
    "cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))": 6,
    "cidr('10.0.0.0/8').containsIP(self.text)": 47,
    "cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16'))": 10,
    "cidr('10.0.0.0/8').containsCIDR(self.text)": 50,
  });

  testCosts('A range costs its literal length, and has no bound if the length is not a literal.', {
    'lists.range(-1).size() == 0': 13,
    'lists.range(5).size() == 5': 18,
    'lists.range(5).all(i, i < 5)': 42,
    'lists.range(self.count).size() == 5': UNBOUNDED,
  });

  testCosts('A slice costs the items between its bounds, where an unknown bound is an end of the list.', {
    'self.numbers.slice(2, 5).all(n, n < 5)': 32,
    'self.numbers.slice(2, self.count).all(n, n < 5)': 64,
    'self.numbers.slice(self.count, 5).all(n, n < 5)': 46,
    'self.numbers.slice(self.count, self.count).all(n, n < 5)': 78,
  });

  testCosts('A slice that ends before its start has no bound.', {
    "self.names.slice(5, 3).all(n, n == 'a')": UNBOUNDED,
  });

  testCosts('Flattening costs the size of the list for each level, and has no bound if the depth is not a literal.', {
    'self.lists.flatten().size() == 3': 25,
    'self.lists.flatten(3).size() == 3': 45,
    'self.lists.flatten(self.count).size() == 3': UNBOUNDED,
  });

  testCosts('Sorted lists and lists without duplicates count with the square of the size of the original list.', {
    'self.numbers.distinct().all(n, n < 5)': 714,
    'self.numbers.sort().all(n, n < 5)': 714,
    "self.names.sort().all(n, n == 'a')": 624,
    "self.names.sortBy(n, n.size()).all(n, n == 'a')": 777,
    'self.numbers.distinct().distinct().size() == 3': 20_226,
  });

  testCosts('A text as bytes costs its reading, and has up to four bytes for each character.', {
    'bytes(self.text).size() == 3': 44,
    'bytes(self.text) == self.bytes': 54,
  });

  testCosts('Bytes as a text cost their reading, and have up to one character for each byte.', {
    "string(self.bytes) == 'abc'": 13,
    'string(self.bytes) == self.text': 24,
  });

  testCosts('A quoted text costs its reading, and may have twice as many characters and two quotes.', {
    "strings.quote(self.text) == 'abc'": 43,
    "strings.quote(self.text).contains('abcdefghijkl')": 204,
  });

  testCosts('A comparison costs the smaller size, that of formats their largest size, and that of URLs the second.', {
    "self.text != 'abcdefghijklmnop'": 4,
    'format.dns1123Label() == format.uuid()': 9,
    "url(self.text) == url('https://a')": 44,
    "url('https://a') == url(self.text)": 83,
  });

  testCosts('A selector of an authorization check costs its reading and its estimated number of requirements.', {
    "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=example-node-name.fully.qualified.domain.name.example.com').check('list').allowed()": 351_822,
  });
});
