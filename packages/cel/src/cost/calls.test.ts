import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Environment } from '../environment.ts';
import { bytesShape, objectShape, opaqueShape, stringShape } from '../types/shape.ts';
import type { Shape } from '../types/type.ts';

const fields: Readonly<Record<string, Shape>> = {
  text: stringShape(400),
  bytes: bytesShape(100),
};
const self = objectShape(
  'self',
  new Map(Object.entries(fields).map(([name, shape]) => [name, { name, shape }] as const)),
);
const environment = new Environment({ self, authorizer: opaqueShape('kubernetes.authorization.Authorizer') });

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

  testCosts('A text as bytes costs its reading, and has up to four bytes for each character.', {
    'bytes(self.text).size() == 3': 44,
    'bytes(self.text) == self.bytes': 54,
  });

  testCosts('Bytes as a text cost their reading, and have up to one character for each byte.', {
    "string(self.bytes) == 'abc'": 13,
    'string(self.bytes) == self.text': 24,
  });

  testCosts('A selector of an authorization check costs its reading and its estimated number of requirements.', {
    "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=example-node-name.fully.qualified.domain.name.example.com').check('list').allowed()": 351_822,
  });
});
