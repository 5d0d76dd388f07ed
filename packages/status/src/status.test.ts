import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as status from './index.ts';

const ref = { group: '', resource: 'configmaps' };
const widgets = { group: 'example.com', resource: 'widgets' };

/** each reason, with the error of its constructor and the exact message */
const made: Record<status.Reason, readonly [status.ApiError, string]> = {
  BadRequest: [status.badRequest('no'), 'no'],
  Unauthorized: [status.unauthorized(), 'Unauthorized'],
  Forbidden: [
    status.forbidden({ user: 'u', verb: 'get', ref, name: 'x', namespace: 'ns' }),
    'configmaps "x" is forbidden: User "u" cannot get resource "configmaps" in API group "" in the namespace "ns"',
  ],
  NotFound: [status.notFound(widgets, 'x'), 'widgets.example.com "x" not found'],
  MethodNotAllowed: [status.methodNotAllowed(), 'the server does not allow this method on the requested resource'],
  NotAcceptable: [status.notAcceptable(['a/b', 'c/d']), 'only the following media types are accepted: a/b, c/d'],
  AlreadyExists: [status.alreadyExists(ref, 'x', true), 'object is being deleted: configmaps "x" already exists'],
  Conflict: [
    status.conflict(ref, 'x'),
    'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
  ],
  Expired: [status.expired('too old resource version: 5 (120)'), 'too old resource version: 5 (120)'],
  RequestEntityTooLarge: [
    status.requestEntityTooLarge('limit is 3145728'),
    'Request entity too large: limit is 3145728',
  ],
  UnsupportedMediaType: [
    status.unsupportedMediaType(['a/b']),
    'the body of the request was in an unknown format - accepted media types include: a/b',
  ],
  Invalid: [
    status.invalid({ group: '', kind: 'ConfigMap', name: 'X' }, [
      status.invalidValue('metadata.name', 'X', 'bad'),
      status.forbiddenField('data', 'too late'),
    ]),
    'ConfigMap "X" is invalid: [metadata.name: Invalid value: "X": bad, data: Forbidden: too late]',
  ],
  TooManyRequests: [status.tooManyRequests('later'), 'later'],
  InternalError: [status.internalError('broken'), 'Internal error occurred: broken'],
  StorageReadError: [status.storageReadError('unreadable'), 'unreadable'],
  ServerTimeout: [
    status.serverTimeout(ref, 'list'),
    'The list operation against configmaps could not be completed at this time, please try again.',
  ],
  ServiceUnavailable: [status.serviceUnavailable('away'), 'away'],
  Timeout: [status.resourceVersionTooLarge('999', '120'), 'Timeout: Too large resource version: 999, current: 120'],
};

for (const [reason, [error, message]] of Object.entries(made)) {
  test(`${reason} has its code and its message`, () => {
    assert.equal(error.message, message);
    assert.equal(error.status.reason, reason);
    assert.equal(error.code, status.reasons[reason as status.Reason].http);
    assert.equal(error.status.kind, 'Status');
  });
}

test('one missing or wrongly typed field is enough for 400 with reason Invalid', () => {
  const bad = status.invalidValue('metadata.name', 'X', 'bad');
  for (const malformed of [status.requiredValue('data'), status.typeInvalid('data', 5, 'must be a map')]) {
    const both = status.invalid({ group: '', kind: 'ConfigMap', name: 'X' }, [bad, malformed]);
    assert.deepEqual([both.code, both.reason, both.status.details?.causes?.length], [400, 'Invalid', 2]);
  }
  const error = status.invalid({ group: '', kind: 'ConfigMap', name: 'x' }, [status.requiredValue('data')]);
  assert.deepEqual([error.code, error.reason], [400, 'Invalid']);
  assert.deepEqual(error.status.details?.causes, [
    { reason: 'FieldValueRequired', message: 'Required value', field: 'data' },
  ]);
});

test('values from clients are escaped as HTML in error messages', () => {
  const error = status.forbidden({ user: '<b>', verb: 'get', path: '/a&b' });
  assert.equal(error.message, 'forbidden: User "&lt;b&gt;" cannot get path "/a&amp;b"');
});

test('another error becomes an internal error with its message as the cause, and an ApiError is kept', () => {
  assert.equal(status.ApiError.from(new Error('boom')).message, 'Internal error occurred: boom');
  const own = status.badRequest('x');
  assert.equal(status.ApiError.from(own), own);
  assert.deepEqual(status.ApiError.fromStatus(own.status).status, own.status);
});
