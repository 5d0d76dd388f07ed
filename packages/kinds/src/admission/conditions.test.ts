import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { holdAll, type MatchCondition, readCondition } from './conditions.ts';
import { admissionVariables } from './environment.ts';

const request: JsonObject = {
  uid: 'u',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  resource: { group: '', version: 'v1', resource: 'configmaps' },
  requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
  requestResource: { group: '', version: 'v1', resource: 'configmaps' },
  name: 'a',
  namespace: 'n',
  operation: 'CREATE',
  userInfo: { username: 'me', groups: ['g1', 'g2'], extra: { 'example.com/x': ['y'] } },
  object: { metadata: { labels: { a: 'b' } }, data: { k: 'v' } },
  oldObject: null,
  dryRun: true,
  options: { kind: 'CreateOptions', fieldManager: 'f' },
};

function conditionsOf(...expressions: string[]): MatchCondition[] {
  return expressions.map((expression) => {
    const condition = readCondition(expression);
    assert.ok(!('problem' in condition), 'problem' in condition ? condition.problem : '');
    return condition;
  });
}

const checks: unknown[] = [];
const variables = admissionVariables(request, (check) => {
  checks.push(check);
  return { allowed: check.verb === 'get', reason: '' };
});
const holds = (...expressions: string[]) => holdAll(conditionsOf(...expressions), variables);

test('expressions can use the objects, the request and the authorizer', () => {
  for (const [expression, expected] of [
    ["object.metadata.labels.a == 'b'", true],
    ["object.data['k'] == 'w'", false],
    ['oldObject == null && request.dryRun', true],
    ["request.operation == 'CREATE' && request.resource.resource == 'configmaps'", true],
    ["'g2' in request.userInfo.groups && !('g3' in request.userInfo.groups)", true],
    ["request.userInfo.extra['example.com/x'][0] == 'y'", true],
    ["request.options.fieldManager == 'f'", true],
    ["authorizer.group('apps').resource('deployments').namespace('x').check('get').allowed()", true],
    ["authorizer.requestResource.check('delete').allowed()", false],
    ['has(object.spec)', false],
  ] as const) {
    assert.deepEqual(holds(expression), { holds: expected }, expression);
  }
  assert.deepEqual(checks, [
    { group: 'apps', resource: 'deployments', namespace: 'x', verb: 'get' },
    { group: '', resource: 'configmaps', subresource: '', namespace: 'n', name: 'a', verb: 'delete' },
  ]);
});

test('one false condition decides, also when others fail', () => {
  assert.deepEqual(holds('object.nothing == 1', 'false', 'object.other == 1'), { holds: false });
  assert.deepEqual(holds('true', 'object.nothing == 1', 'true'), {
    problems: ["expression 'object.nothing == 1' resulted in error: no such key: nothing"],
  });
  assert.deepEqual(holds(), { holds: true });
});

test('the evaluation of a path is bounded', () => {
  const ten = '[1,2,3,4,5,6,7,8,9,10]';
  const loops = ['a', 'b', 'c', 'd', 'e', 'f'].reduceRight((inner, name) => `${ten}.all(${name}, ${inner})`, 'true');
  const result = holds(loops);
  assert.deepEqual(result, {
    problems: [`expression '${loops}' resulted in error: operation cancelled: actual cost limit exceeded`],
  });
});

test('the author of an invalid expression gets its error', () => {
  for (const [expression, words] of [
    ['request.nope', /^compilation failed: ERROR: <input>:1:8: undefined field 'nope'\n/],
    ['nothing', /^compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing'/],
    ["'text'", /^must evaluate to bool but got string$/],
    ['1 +', /^compilation failed: ERROR: <input>:1:4: Syntax error/],
  ] as const) {
    const read = readCondition(expression);
    assert.match('problem' in read ? read.problem : '', words);
  }
});
