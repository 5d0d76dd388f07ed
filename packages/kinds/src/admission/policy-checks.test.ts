import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { builtInRegistry } from '../built-in.ts';
import { POLICY_LIMITS } from './policy-checks.ts';

const entry = builtInRegistry().find('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies')?.entry;

function problems(spec: JsonObject): string[] {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const validations = [{ expression: 'true' }];
  const object = {
    metadata: { name: 'a' },
    spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules }, validations, ...spec },
  };
  return (entry?.validate?.(object) ?? []).map(({ field, message }) => `${field}: ${message}`);
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

const LIMITS: ReadonlyArray<readonly [name: string, most: number, make: (count: number) => JsonObject]> = [
  [
    'spec.variables: Too many',
    POLICY_LIMITS.variables,
    // each variable can use those before it
    (count) => ({
      variables: times(count, (i) => ({ name: `v${i}`, expression: i === 0 ? '1' : `variables.v${i - 1} + 1` })),
    }),
  ],
  [
    'spec.validations: Too many',
    POLICY_LIMITS.validations,
    (count) => ({ validations: times(count, () => ({ expression: 'object.spec.a == 1' })) }),
  ],
  [
    'spec.auditAnnotations: Too many',
    POLICY_LIMITS.auditAnnotations,
    (count) => ({ auditAnnotations: times(count, (i) => ({ key: `k${i}`, valueExpression: "'a'" })) }),
  ],
  [
    `spec: Forbidden: all expressions together must have at most ${POLICY_LIMITS.expressions} characters`,
    POLICY_LIMITS.expressions,
    (count) => ({
      validations: times(Math.ceil(count / 65_536), (i) => {
        const expression = `[${Array.from({ length: 16_000 }, () => '1').join(', ')}].size() > 0`;
        return { expression: expression.padEnd(Math.min(65_536, count - i * 65_536)) };
      }).filter(({ expression }, i) => expression.length + i * 65_536 <= count),
      variables: count % 65_536 === 0 ? [] : [{ name: 'a', expression: '1' }],
    }),
  ],
];

for (const [name, most, make] of LIMITS) {
  test(`A policy above the limit is rejected before its expressions are parsed: ${name}`, () => {
    const [problem = '', ...others] = problems(make(most + 1));
    assert.ok(problem.startsWith(name), problem);
    assert.deepEqual(others, []);
  });

  test(`A policy at the limit is accepted within seconds: ${name}`, () => {
    const spec = make(most);
    const before = process.cpuUsage();
    assert.deepEqual(problems(spec), []);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 5e6, `${(user + system) / 1000} ms`);
  });
}

function webhookProblems(expressions: readonly string[]): string[] {
  const hooks = times(Math.ceil(expressions.length / 60), (i) => ({
    name: `a${i}.b.c`,
    failurePolicy: 'Fail',
    matchPolicy: 'Exact',
    timeoutSeconds: 1,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig: { url: 'https://a.example.com/' },
    matchConditions: expressions.slice(i * 60, i * 60 + 60).map((expression, j) => ({ name: `m${j}`, expression })),
  }));
  const all = builtInRegistry().find('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations')?.entry;
  const object = { metadata: { name: 'a' }, webhooks: hooks as unknown as JsonObject[] };
  return (all?.validate?.(object) ?? []).map(({ field, message }) => `${field}: ${message}`);
}

test('Conditions of webhooks that are too long together are rejected before they are parsed.', () => {
  const long = 'request.x == 1 && '.repeat(400);
  const found = webhookProblems(times(400, () => `${long}true`));
  const most = `all matchConditions together must have at most ${POLICY_LIMITS.expressions} characters`;
  assert.deepEqual(found, [`webhooks: Forbidden: ${most}`]);
});

test('The errors of an expression full of mistakes are bounded in time and text.', () => {
  const before = process.cpuUsage();
  const found = webhookProblems([...times(20, () => `${'request.x == 1 && '.repeat(400)}true`), 'x + '.repeat(24_000)]);
  const { user, system } = process.cpuUsage(before);
  assert.ok(found.length > 0 && found.length <= 21);
  // all texts together have a limit, too, and the last of them may exceed it
  assert.ok(found.join('').length < 2 << 18);
  assert.match(found[0] ?? '', /\d+ more errors were truncated/);
  assert.ok(user + system < 5e6, `${(user + system) / 1000} ms`);
});
