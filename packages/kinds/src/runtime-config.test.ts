import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry } from './built-in.ts';
import { readRuntimeConfig } from './runtime-config.ts';

const BETA = 'coordination.k8s.io/v1beta1';
const isServed = (text: string) =>
  builtInRegistry(readRuntimeConfig(text)).find('coordination.k8s.io', 'v1beta1', 'leasecandidates') !== undefined;

test('Beta versions are served only if they are enabled.', () => {
  assert.equal(isServed(''), false);
  for (const text of [BETA, `${BETA}=true`, 'api/beta=true', 'api/all=true', ` ${BETA}=true , api/ga=true`])
    assert.equal(isServed(text), true, text);
});

test('A version has precedence over all beta versions, and these over all versions.', () => {
  assert.equal(isServed(`${BETA}=false,api/beta=true`), false);
  assert.equal(isServed(`api/beta=false,${BETA}=true`), true);
  assert.equal(isServed('api/beta=false,api/all=true'), false);
});

test('Unknown versions, other values and disabled stable versions are rejected.', () => {
  assert.throws(() => readRuntimeConfig('coordination.k8s.io/v1beta2'), /unknown API version .*did you mean/);
  assert.throws(() => readRuntimeConfig('nothing'), { message: '--runtime-config has an unknown API version nothing' });
  assert.throws(() => readRuntimeConfig('api/beta=yes'), /takes VERSION=true or VERSION=false, not "api\/beta=yes"/);
  for (const name of ['apps/v1', 'v1', 'api/all', 'api/ga'])
    assert.throws(() => readRuntimeConfig(`${name}=false`), { message: new RegExp(`cannot disable ${name}: stable`) });
});
