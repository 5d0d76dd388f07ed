import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { admissionVariables } from './environment.ts';
import { evaluatePolicy, readPolicy } from './policy.ts';

const place = { group: 'apps', version: 'v1', resource: 'deployments' };
const request: JsonObject = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: place,
  requestKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  requestResource: place,
  name: 'd',
  namespace: 'n',
  operation: 'CREATE',
  userInfo: { username: 'me', groups: [] },
  object: { metadata: { name: 'd', labels: { tier: 'web' } }, spec: { replicas: 7 } },
  dryRun: false,
  options: null,
};
const given = admissionVariables(request, () => ({ allowed: false, reason: '' }), {
  params: { data: { most: 5 } },
  namespaceObject: { metadata: { name: 'n', labels: { env: 'test' } } },
});

function denialsOf(spec: JsonObject, ignoresFailure = false) {
  const { policy, problems } = readPolicy({ paramKind: {}, ...spec });
  assert.deepEqual(problems, []);
  return evaluatePolicy(policy, given, ignoresFailure).denials.map(({ message, reason }) => `${reason}: ${message}`);
}

const few = { expression: 'object.spec.replicas <= params.data.most' };

test('a failed validation has a computed message, a literal one, or one with the expression', () => {
  assert.deepEqual(denialsOf({ validations: [{ expression: 'object.spec.replicas > 0' }] }), []);
  assert.deepEqual(denialsOf({ validations: [few] }), [`Invalid: failed expression: ${few.expression}`]);
  assert.deepEqual(denialsOf({ validations: [{ ...few, message: ' too many ', reason: 'Forbidden' }] }), [
    'Forbidden: too many',
  ]);
  const made = { ...few, message: 'too many', messageExpression: "'at most ' + string(params.data.most)" };
  assert.deepEqual(denialsOf({ validations: [made] }), ['Invalid: at most 5']);
  for (const messageExpression of ["'  '", "'a\\nb'", 'string(object.nothing)']) {
    assert.deepEqual(denialsOf({ validations: [{ ...made, messageExpression }] }), ['Invalid: too many']);
  }
});

test('variables are unique, and can use earlier ones', () => {
  const variables = [
    { name: 'env', expression: "namespaceObject.metadata.labels['env']" },
    { name: 'isTest', expression: "variables.env == 'test'" },
    { name: 'unused', expression: 'object.nothing.at.all' },
  ];
  assert.deepEqual(
    denialsOf({ variables, validations: [{ expression: 'variables.isTest && variables.env.size() == 4' }] }),
    [],
  );
  assert.deepEqual(denialsOf({ variables, validations: [{ expression: "variables.unused == ''" }] }), [
    `: expression 'variables.unused == ''' resulted in error: composited variable "unused" fails to evaluate: no such key: nothing`,
  ]);
});

test('a false match condition skips the policy; a failed evaluation denies unless failures are ignored', () => {
  const validations = [few];
  assert.deepEqual(denialsOf({ matchConditions: [{ name: 'a', expression: "request.name == 'x'" }], validations }), []);
  const fails = { matchConditions: [{ name: 'a', expression: "object.nothing == ''" }], validations };
  assert.equal(denialsOf(fails).length, 1);
  assert.deepEqual(denialsOf(fails, true), []);
  const broken = { validations: [{ expression: "object.nothing == ''" }, few] };
  assert.equal(denialsOf(broken).length, 2);
  assert.equal(denialsOf(broken, true).length, 1);
});

test('each invalid expression is an error with its path', () => {
  const { problems } = readPolicy({
    variables: [{ name: 'a', expression: 'nothing' }],
    matchConditions: [{ name: 'm', expression: '1' }],
    validations: [{ expression: 'params.a == 1' }, { expression: 'true', messageExpression: 'authorizer' }],
    auditAnnotations: [{ key: 'k', valueExpression: '1' }],
  });
  assert.deepEqual(
    problems.map(({ list, index, field }) => `${list}[${index}].${field}`),
    [
      'variables[0].expression',
      'matchConditions[0].expression',
      'validations[0].expression',
      'validations[1].messageExpression',
      'auditAnnotations[0].valueExpression',
    ],
  );
});

test('audit annotations have the results of their expressions, unless these are null or empty; a failure counts as a denial', () => {
  const validations = [few];
  const annotated = (valueExpression: string, ignoresFailure = false) => {
    const { policy } = readPolicy({ paramKind: {}, validations, auditAnnotations: [{ key: 'k', valueExpression }] });
    return evaluatePolicy(policy, given, ignoresFailure);
  };
  assert.deepEqual(annotated("'replicas: ' + string(object.spec.replicas)").annotations, [['k', 'replicas: 7']]);
  assert.deepEqual(annotated('null').annotations, []);
  assert.deepEqual(annotated("' '").annotations, []);
  assert.equal(annotated('string(object.nothing)').denials.length, 2);
  assert.equal(annotated('string(object.nothing)', true).denials.length, 1);
});
