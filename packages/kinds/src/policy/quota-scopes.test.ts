import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { isInScope } from './quotas.ts';

const pod = (spec: JsonObject): JsonObject => ({ spec: { containers: [{ name: 'a' }], ...spec } });
const scoped = (...scopes: string[]): JsonObject => ({ spec: { scopes } });
const selecting = (...matchExpressions: JsonObject[]): JsonObject => ({
  spec: { scopeSelector: { matchExpressions } },
});

test('a quota without scopes is for all objects', () => {
  assert.equal(isInScope('pods', { spec: {} }, pod({})), true);
  assert.equal(isInScope('configmaps', {}, {}), true);
});

test('the scopes Terminating and NotTerminating go by the deadline', () => {
  const ending = pod({ activeDeadlineSeconds: 0 });
  for (const [scope, ofEnding, ofOther] of [
    ['Terminating', true, false],
    ['NotTerminating', false, true],
  ] as const) {
    assert.equal(isInScope('pods', scoped(scope), ending), ofEnding, scope);
    assert.equal(isInScope('pods', scoped(scope), pod({})), ofOther, scope);
  }
});

test('the scopes BestEffort and NotBestEffort go by the quality of service class', () => {
  const promised = pod({ containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] });
  assert.deepEqual(
    [pod({}), promised].map((one) => isInScope('pods', scoped('BestEffort'), one)),
    [true, false],
  );
  assert.deepEqual(
    [pod({}), promised].map((one) => isInScope('pods', scoped('NotBestEffort'), one)),
    [false, true],
  );
});

test('an object must be in every scope of a quota', () => {
  const both = scoped('Terminating', 'BestEffort');
  assert.equal(isInScope('pods', both, pod({ activeDeadlineSeconds: 5 })), true);
  assert.equal(isInScope('pods', both, pod({})), false);
});

test('pods are selected by their priority class', () => {
  const select = (operator: string, values?: string[]) =>
    selecting({ scopeName: 'PriorityClass', operator, ...(values && { values }) });
  const [high, none] = [pod({ priorityClassName: 'high' }), pod({})];
  const of = (quota: JsonObject) => [high, none].map((one) => isInScope('pods', quota, one));
  assert.deepEqual(of(select('In', ['high'])), [true, false]);
  assert.deepEqual(of(select('In', ['low'])), [false, false]);
  assert.deepEqual(of(select('NotIn', ['high'])), [false, true]);
  assert.deepEqual(of(select('NotIn', ['low'])), [true, true]);
  assert.deepEqual(of(select('Exists')), [true, false]);
  assert.deepEqual(of(select('DoesNotExist')), [false, true]);
});

test('the scope CrossNamespacePodAffinity selects pods with affinity terms for other namespaces', () => {
  const isNear = (affinity: JsonObject) => isInScope('pods', scoped('CrossNamespacePodAffinity'), pod({ affinity }));
  const required = (term: JsonObject) => ({ requiredDuringSchedulingIgnoredDuringExecution: [term] });
  const preferred = (podAffinityTerm: JsonObject) => ({
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }],
  });
  assert.equal(isNear({}), false);
  assert.equal(isNear({ podAffinity: required({ namespaces: [] }) }), false);
  assert.equal(isNear({ podAffinity: required({ namespaces: ['other'] }) }), true);
  assert.equal(isNear({ podAntiAffinity: preferred({ namespaceSelector: {} }) }), true);
});

test('claims are selected by their current, former and future classes', () => {
  const quota = selecting({ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] });
  const isSelected = (claim: JsonObject) => isInScope('persistentvolumeclaims', quota, claim);
  assert.equal(isSelected({ spec: { volumeAttributesClassName: 'gold' } }), true);
  assert.equal(isSelected({ spec: {}, status: { currentVolumeAttributesClassName: 'gold' } }), true);
  const coming = { modifyVolumeStatus: { targetVolumeAttributesClassName: 'gold' } };
  assert.equal(isSelected({ spec: {}, status: coming }), true);
  assert.equal(isSelected({ spec: { volumeAttributesClassName: 'silver' } }), false);
});

test('a scope that does not apply to the kind, or is unknown, selects no object', () => {
  assert.equal(isInScope('persistentvolumeclaims', scoped('BestEffort'), {}), false);
  assert.equal(isInScope('services', scoped('VolumeAttributesClass'), {}), false);
  assert.equal(isInScope('pods', scoped('Unheard'), pod({})), false);
});
